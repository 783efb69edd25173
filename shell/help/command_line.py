"""Static text of `greenroom --help`."""

from shell.help.topics import TOPICS

COMMAND_LINE_USAGE = """\
greenroom [options] [PROMPT]
       greenroom -p PROMPT [options]
       greenroom COMMAND"""
COMMAND_LINE_DESCRIPTION = """\
A coding agent for your terminal that asks before it acts. Without -p it starts the
REPL in the current directory.

commands:
  demo [--auto]            play a scripted session in a throwaway git repository
  review [INSTRUCTIONS]    review uncommitted changes, a branch or a commit
  agents                   list the agents and where each one is defined
  sessions [list | show ID | export ID]
                           list, print or export this workspace's sessions
  sandbox [-- COMMAND]     show what the sandbox blocks here, or run a command in it
  permissions check        explain how a call would be decided; nothing runs
  completion bash|zsh|fish print a script that completes commands and options
  help [TOPIC]             print a help topic

Run greenroom COMMAND --help for the options of a command."""
REVIEW_EPILOG = """\
exit status:
  0                        success; without --fail-on also with findings
  1                        the review, the model server or the disk failed
  2                        there is no such branch, commit or repository, or a usage error
  3                        a limit was reached
  4                        findings at or above --fail-on
  129, 130, 143            hung up, interrupted, terminated
"""
COMMAND_LINE_EPILOG = f"""\
help topics, for greenroom help TOPIC:
  {", ".join(TOPICS)}

environment:
  ANTHROPIC_API_KEY        key for the model server
  ANTHROPIC_AUTH_TOKEN     token for the model server, instead of a key
  ANTHROPIC_BASE_URL       model server to use
  GREENROOM_MODEL          model to use without --model
  GREENROOM_HOME           one folder for all state and configuration
  GREENROOM_SANDBOX        auto, require or off
  GREENROOM_LOG=debug      write more detail to greenroom.log in the state folder
  NO_COLOR                 use no colors

Without ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL, a scripted model
answers, so you can try everything offline.

exit status:
  0                        success
  1                        the agent, the model server or the disk failed
  2                        usage or configuration error
  3                        a limit was reached
  4                        review: findings at or above --fail-on
  5                        a call was denied because no user could be asked
  129, 130, 143            hung up, interrupted, terminated
"""
