# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_dcodectl_global_optspecs
    string join \n socket= o/output= json color= q/quiet v/verbose connect-timeout= h/help V/version
end

function __fish_dcodectl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_dcodectl_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_dcodectl_using_subcommand
    set -l cmd (__fish_dcodectl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c dcodectl -n "__fish_dcodectl_needs_command" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_needs_command" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_needs_command" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_needs_command" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_needs_command" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -s V -l version -d 'Print version'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "run" -d 'Create, submit and close in one: the whole job of a pipeline'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "submit" -d 'Submit a turn to a session and follow it to its end'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "wait" -d 'Follow the running turn, or report the last one'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "tail" -d 'Print events: history as far as it is held, then live'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "create" -d 'Open a session and print its id'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "list" -d 'List the live sessions'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "show" -d 'Show one session'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "close" -d 'Close sessions'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "steer" -d 'Send a correction to the running turn'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "interrupt" -d 'Cancel the running turn'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "approvals" -d 'Show the open question, and how to answer it'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "approve" -d 'Answer a question, by default with allow'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "deny" -d 'Answer a question with deny'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "rename" -d 'Name a conversation, live or recorded'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "undo" -d 'Put back what the last turn changed'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "ping" -d 'Ask for the daemon\'s health, version and protocol'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "render" -d 'Show an NDJSON log as any output'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "schema" -d 'Print the JSON Schema of NDJSON output or of the summary'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "simulate" -d 'Run a simulated daemon, to try gates without a model'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "help" -d 'Explain a command, the exit codes or the environment'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c dcodectl -n "__fish_dcodectl_needs_command" -f -a "man" -d 'Print the manual\'s main page, or write all pages'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l file -d 'Read the text from a file' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l image -d 'Send an image along (PNG, JPEG, GIF, WebP); may be repeated' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l workspace -d 'The workspace [default: the current directory]' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l model -d 'The model [default: the daemon\'s]' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l sandbox -d 'What the session may write to [default: the daemon\'s]' -r -f -a "read-only\t'Nothing may be written'
workspace-write\t'The workspace may be written'
full-access\t'Everything may be written'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l resume -d 'Carry over the history of a recorded session' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l accept -d 'Outcomes that exit 0, by comma: unverified, ...' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l timeout -d 'A bound for the whole command, such as 10m' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l idle-timeout -d 'Give up when no event came for so long' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l heartbeat -d 'A line on stderr when nothing was printed for so long' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l events -d 'Write the turn\'s events to a file as well, as NDJSON' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l summary -d 'One JSON object about the outcome; - for stdout' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l report -d 'junit=FILE, markdown=FILE (appended) or github' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l on-approval -d 'Who answers: ask, deny, allow, exec:CMD, ...' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l approval-timeout -d 'How long the CMD of exec: may take to answer [default: 100s]' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l max-rounds -d 'Stop the turn after so many rounds, with code 12' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l keep -d 'Leave the session open'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l require-verified -d 'Code 17 unless criteria were checked, all met'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l forbid-protected -d 'Code 18 if protected files were written'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l file -d 'Read the text from a file' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l image -d 'Send an image along (PNG, JPEG, GIF, WebP); may be repeated' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l wait-idle -d 'First wait so long for somebody else\'s turn to end' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l accept -d 'Outcomes that exit 0, by comma: unverified, ...' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l timeout -d 'A bound for the whole command, such as 10m' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l idle-timeout -d 'Give up when no event came for so long' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l heartbeat -d 'A line on stderr when nothing was printed for so long' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l events -d 'Write the turn\'s events to a file as well, as NDJSON' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l summary -d 'One JSON object about the outcome; - for stdout' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l report -d 'junit=FILE, markdown=FILE (appended) or github' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l on-approval -d 'Who answers: ask, deny, allow, exec:CMD, ...' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l approval-timeout -d 'How long the CMD of exec: may take to answer [default: 100s]' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l max-rounds -d 'Stop the turn after so many rounds, with code 12' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l detach -d 'Return once the turn is accepted'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l require-verified -d 'Code 17 unless criteria were checked, all met'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l forbid-protected -d 'Code 18 if protected files were written'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand submit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l for -d 'What to wait for' -r -f -a "turn\t'The end of the running turn, or of the last one if none runs'
idle\t'That no turn runs'
approval\t'That a question is open'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l accept -d 'Outcomes that exit 0, by comma: unverified, ...' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l timeout -d 'A bound for the whole command, such as 10m' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l idle-timeout -d 'Give up when no event came for so long' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l heartbeat -d 'A line on stderr when nothing was printed for so long' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l events -d 'Write the turn\'s events to a file as well, as NDJSON' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l summary -d 'One JSON object about the outcome; - for stdout' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l report -d 'junit=FILE, markdown=FILE (appended) or github' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l require-verified -d 'Code 17 unless criteria were checked, all met'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l forbid-protected -d 'Code 18 if protected files were written'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand wait" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l from -d 'Start at this event [default: the oldest still held]' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l until -d 'When to end by itself' -r -f -a "turn\t'At the first end of a turn'
idle\t'Once no turn runs'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l type -d 'Print only events of this type, such as \'tool.*\'' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l turn -d 'Print only the turn with this id' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l count -d 'End after so many printed events' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l cursor -d 'Go on where the last tail with this file left off' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l all -d 'Every live session, also those created while it runs'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l no-follow -d 'End after the events there are now'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand tail" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -l workspace -d 'The workspace [default: the current directory]' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -l model -d 'The model [default: the daemon\'s]' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -l sandbox -d 'What the session may write to [default: the daemon\'s]' -r -f -a "read-only\t'Nothing may be written'
workspace-write\t'The workspace may be written'
full-access\t'Everything may be written'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -l resume -d 'Carry over the history of a recorded session' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand list" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand list" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand list" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand list" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand list" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand list" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand list" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand show" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand show" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand show" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand show" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand show" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand show" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand show" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand close" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand close" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand close" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand close" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand close" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand close" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand close" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand close" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -l file -d 'Read the text from a file' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -l confirm -d 'Wait until it has reached the model'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand steer" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand interrupt" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand interrupt" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand interrupt" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand interrupt" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand interrupt" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand interrupt" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand interrupt" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand interrupt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approvals" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approvals" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approvals" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approvals" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approvals" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approvals" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approvals" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approvals" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approve" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approve" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approve" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approve" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approve" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approve" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approve" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand approve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand deny" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand deny" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand deny" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand deny" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand deny" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand deny" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand deny" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand deny" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -l clear -d 'Take the name away'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand rename" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand undo" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand undo" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand undo" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand undo" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand undo" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand undo" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand undo" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -l wait -d 'Try until the daemon answers, for this long' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand ping" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -l report -d 'junit=FILE, markdown=FILE (appended) or github' -r -f -a "(__dcodectl_values)"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand render" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand schema" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand schema" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand schema" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand schema" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand schema" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand schema" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand schema" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l replay -d 'Play a recorded .sse body or NDJSON log' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l speed -d 'How fast: a factor, or instant' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l approval-timeout -d 'How long a question waits' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l retention -d 'Events a session keeps' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l max-sessions -d 'How many sessions may be open' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l list -d 'Name the scenarios'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand help" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand help" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand help" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand help" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand help" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand help" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand help" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand completions" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand completions" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand completions" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand completions" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand completions" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand completions" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand completions" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand man" -l socket -d 'The daemon\'s socket; see \'help environment\'' -r -F
complete -c dcodectl -n "__fish_dcodectl_using_subcommand man" -s o -l output -d 'For people, as events, or the answer alone' -r -f -a "human\t'For people'
ndjson\t'One JSON object a line'
answer\t'Only the final answer'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand man" -l color -d 'Colour, decided per stream' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c dcodectl -n "__fish_dcodectl_using_subcommand man" -l connect-timeout -d 'How long connecting may take' -r
complete -c dcodectl -n "__fish_dcodectl_using_subcommand man" -l json -d 'The same as --output ndjson'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand man" -s q -l quiet -d 'Errors only on stderr'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand man" -s v -l verbose -d 'Reasoning, diffs, requests; twice: prompts too'
complete -c dcodectl -n "__fish_dcodectl_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'

# Values that only dcodectl knows, such as live sessions. Fails where the lines above know better.
function __dcodectl_values
    set -l words (commandline -opc)
    set -l found (command dcodectl __complete words $words[2..-1] (commandline -ct) 2>/dev/null)
    or return 1
    # fish itself keeps the option in front of a value.
    string replace -r -- '^--[a-z-]+=' '' $found
    return 0
end
complete -c dcodectl -n '__dcodectl_values >/dev/null' -f -a '(__dcodectl_values)'
