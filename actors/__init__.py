"""Who does it: the runtime that runs actors, and the actors; imports nothing of the shell.

Who sends what to whom, from a prompt to its answer:

    console  → primary      Prompt, CancelTurn
    primary  → journal      Append             journal  → sender    Appended, AppendFailed
    primary  → console      TurnStarted, TextDelta, ReplyCompleted, ToolStarted, ToolEnded,
                            TurnCompleted, TurnInterrupted, TurnFailed
    primary  → permissions  EvaluatePermission    permissions → sender PermissionDecision
    primary  → approvals    ExecApprovalRequest, PatchApprovalRequest, WithdrawApprovals
    approvals → console     ShowApproval, DismissApproval
    console  → approvals    SubmitDecision, ApproverAvailabilityChanged
    approvals → permissions StoreGrant         permissions → sender GrantStored, StoreGrantFailed
    approvals → primary     ApprovalDecided, ApprovalUnavailable
    root     → permissions  RegisterAgent
    console  → permissions  ReplaceRules, GetPolicy
    permissions → console   RulesReplaced, PolicySnapshot
    permissions → approvals PolicyChanged

What is slow (the model's stream, planning and running a tool) is a work of the agent, and comes
back to it as a message: ModelReplied, ModelFailed, ToolPlanned, ToolSucceeded, ToolFailed.

Begin with `agents/turn.py`, which decides, and `agents/agent.py`, which acts.
"""
