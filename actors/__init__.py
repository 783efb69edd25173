"""Who does it: the runtime that runs actors, and the actors; imports nothing of the shell.

Who sends what to whom, from a prompt to its answer:

    console  → primary      Prompt, CancelTurn
    primary  → journal      Append             journal  → sender    Appended, AppendFailed
    primary  → console      TurnStarted, MessageDelta, ReplyCompleted, ToolStarted, ToolEnded,
                            TurnCompleted, TurnInterrupted, TurnFailed
    primary  → permissions  PermissionQuery    permissions → sender PermissionVerdict
    primary  → approvals    ExecApprovalRequest, PatchApprovalRequest, ApprovalsWithdrawn
    approvals → console     PresentApproval, RetractApproval
    console  → approvals    AnswerApproval, PresenterChanged
    approvals → permissions StoreGrant         permissions → sender GrantStored, GrantNotStored
    approvals → primary     ApprovalAnswered, ApprovalRefused
    root     → permissions  RegisterAgent
    console  → permissions  LoadRules, ListPolicy
    permissions → console   RulesLoaded, PolicyListed
    permissions → approvals PolicyChanged

What is slow (the model's stream, planning and running a tool) is a work of the agent, and comes
back to it as a message: ModelReplied, ModelFailed, ToolPlanned, ToolSucceeded, ToolFailed.

Begin with `agents/turn.py`, which decides, and `agents/agent.py`, which acts.
"""
