
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'dcodectl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'dcodectl'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'dcodectl' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Create, submit and close in one: the whole job of a pipeline')
            [CompletionResult]::new('submit', 'submit', [CompletionResultType]::ParameterValue, 'Submit a turn to a session and follow it to its end')
            [CompletionResult]::new('wait', 'wait', [CompletionResultType]::ParameterValue, 'Follow the running turn, or report the last one')
            [CompletionResult]::new('tail', 'tail', [CompletionResultType]::ParameterValue, 'Print events: history as far as it is held, then live')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Open a session and print its id')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the live sessions')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show one session')
            [CompletionResult]::new('close', 'close', [CompletionResultType]::ParameterValue, 'Close sessions')
            [CompletionResult]::new('steer', 'steer', [CompletionResultType]::ParameterValue, 'Send a correction to the running turn')
            [CompletionResult]::new('interrupt', 'interrupt', [CompletionResultType]::ParameterValue, 'Cancel the running turn')
            [CompletionResult]::new('approvals', 'approvals', [CompletionResultType]::ParameterValue, 'Show the open question, and how to answer it')
            [CompletionResult]::new('approve', 'approve', [CompletionResultType]::ParameterValue, 'Answer a question, by default with allow')
            [CompletionResult]::new('deny', 'deny', [CompletionResultType]::ParameterValue, 'Answer a question with deny')
            [CompletionResult]::new('rename', 'rename', [CompletionResultType]::ParameterValue, 'Name a conversation, live or recorded')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Put back what the last turn changed')
            [CompletionResult]::new('ping', 'ping', [CompletionResultType]::ParameterValue, 'Ask for the daemon''s health, version and protocol')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Show an NDJSON log as any output')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of NDJSON output or of the summary')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Run a simulated daemon, to try gates without a model')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Explain a command, the exit codes or the environment')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual''s main page, or write all pages')
            break
        }
        'dcodectl;run' {
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Read the text from a file')
            [CompletionResult]::new('--image', '--image', [CompletionResultType]::ParameterName, 'Send an image along (PNG, JPEG, GIF, WebP); may be repeated')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace [default: the current directory]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model [default: the daemon''s]')
            [CompletionResult]::new('--sandbox', '--sandbox', [CompletionResultType]::ParameterName, 'What the session may write to [default: the daemon''s]')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Carry over the history of a recorded session')
            [CompletionResult]::new('--accept', '--accept', [CompletionResultType]::ParameterName, 'Outcomes that exit 0, by comma: unverified, ...')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'A bound for the whole command, such as 10m')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'Give up when no event came for so long')
            [CompletionResult]::new('--heartbeat', '--heartbeat', [CompletionResultType]::ParameterName, 'A line on stderr when nothing was printed for so long')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Write the turn''s events to a file as well, as NDJSON')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'One JSON object about the outcome; - for stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'junit=FILE, markdown=FILE (appended) or github')
            [CompletionResult]::new('--on-approval', '--on-approval', [CompletionResultType]::ParameterName, 'Who answers: ask, deny, allow, exec:CMD, ...')
            [CompletionResult]::new('--approval-timeout', '--approval-timeout', [CompletionResultType]::ParameterName, 'How long the CMD of exec: may take to answer [default: 100s]')
            [CompletionResult]::new('--max-rounds', '--max-rounds', [CompletionResultType]::ParameterName, 'Stop the turn after so many rounds, with code 12')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Leave the session open')
            [CompletionResult]::new('--require-verified', '--require-verified', [CompletionResultType]::ParameterName, 'Code 17 unless criteria were checked, all met')
            [CompletionResult]::new('--forbid-protected', '--forbid-protected', [CompletionResultType]::ParameterName, 'Code 18 if protected files were written')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;submit' {
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Read the text from a file')
            [CompletionResult]::new('--image', '--image', [CompletionResultType]::ParameterName, 'Send an image along (PNG, JPEG, GIF, WebP); may be repeated')
            [CompletionResult]::new('--wait-idle', '--wait-idle', [CompletionResultType]::ParameterName, 'First wait so long for somebody else''s turn to end')
            [CompletionResult]::new('--accept', '--accept', [CompletionResultType]::ParameterName, 'Outcomes that exit 0, by comma: unverified, ...')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'A bound for the whole command, such as 10m')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'Give up when no event came for so long')
            [CompletionResult]::new('--heartbeat', '--heartbeat', [CompletionResultType]::ParameterName, 'A line on stderr when nothing was printed for so long')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Write the turn''s events to a file as well, as NDJSON')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'One JSON object about the outcome; - for stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'junit=FILE, markdown=FILE (appended) or github')
            [CompletionResult]::new('--on-approval', '--on-approval', [CompletionResultType]::ParameterName, 'Who answers: ask, deny, allow, exec:CMD, ...')
            [CompletionResult]::new('--approval-timeout', '--approval-timeout', [CompletionResultType]::ParameterName, 'How long the CMD of exec: may take to answer [default: 100s]')
            [CompletionResult]::new('--max-rounds', '--max-rounds', [CompletionResultType]::ParameterName, 'Stop the turn after so many rounds, with code 12')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--detach', '--detach', [CompletionResultType]::ParameterName, 'Return once the turn is accepted')
            [CompletionResult]::new('--require-verified', '--require-verified', [CompletionResultType]::ParameterName, 'Code 17 unless criteria were checked, all met')
            [CompletionResult]::new('--forbid-protected', '--forbid-protected', [CompletionResultType]::ParameterName, 'Code 18 if protected files were written')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;wait' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'What to wait for')
            [CompletionResult]::new('--accept', '--accept', [CompletionResultType]::ParameterName, 'Outcomes that exit 0, by comma: unverified, ...')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'A bound for the whole command, such as 10m')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'Give up when no event came for so long')
            [CompletionResult]::new('--heartbeat', '--heartbeat', [CompletionResultType]::ParameterName, 'A line on stderr when nothing was printed for so long')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Write the turn''s events to a file as well, as NDJSON')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'One JSON object about the outcome; - for stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'junit=FILE, markdown=FILE (appended) or github')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--require-verified', '--require-verified', [CompletionResultType]::ParameterName, 'Code 17 unless criteria were checked, all met')
            [CompletionResult]::new('--forbid-protected', '--forbid-protected', [CompletionResultType]::ParameterName, 'Code 18 if protected files were written')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;tail' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Start at this event [default: the oldest still held]')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'When to end by itself')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Print only events of this type, such as ''tool.*''')
            [CompletionResult]::new('--turn', '--turn', [CompletionResultType]::ParameterName, 'Print only the turn with this id')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'End after so many printed events')
            [CompletionResult]::new('--cursor', '--cursor', [CompletionResultType]::ParameterName, 'Go on where the last tail with this file left off')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Every live session, also those created while it runs')
            [CompletionResult]::new('--no-follow', '--no-follow', [CompletionResultType]::ParameterName, 'End after the events there are now')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;create' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace [default: the current directory]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model [default: the daemon''s]')
            [CompletionResult]::new('--sandbox', '--sandbox', [CompletionResultType]::ParameterName, 'What the session may write to [default: the daemon''s]')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Carry over the history of a recorded session')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;list' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;show' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;close' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;steer' {
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Read the text from a file')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Wait until it has reached the model')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;interrupt' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;approvals' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;approve' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;deny' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;rename' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--clear', '--clear', [CompletionResultType]::ParameterName, 'Take the name away')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;undo' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;ping' {
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Try until the daemon answers, for this long')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;render' {
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'junit=FILE, markdown=FILE (appended) or github')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;schema' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;simulate' {
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Play a recorded .sse body or NDJSON log')
            [CompletionResult]::new('--speed', '--speed', [CompletionResultType]::ParameterName, 'How fast: a factor, or instant')
            [CompletionResult]::new('--approval-timeout', '--approval-timeout', [CompletionResultType]::ParameterName, 'How long a question waits')
            [CompletionResult]::new('--retention', '--retention', [CompletionResultType]::ParameterName, 'Events a session keeps')
            [CompletionResult]::new('--max-sessions', '--max-sessions', [CompletionResultType]::ParameterName, 'How many sessions may be open')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'Name the scenarios')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;help' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;completions' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'dcodectl;man' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'The daemon''s socket; see ''help environment''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'For people, as events, or the answer alone')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour, decided per stream')
            [CompletionResult]::new('--connect-timeout', '--connect-timeout', [CompletionResultType]::ParameterName, 'How long connecting may take')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --output ndjson')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Errors only on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Reasoning, diffs, requests; twice: prompts too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
    })

    $completions | Where-Object { $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
