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
