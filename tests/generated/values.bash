# Values that only dcodectl knows, such as live sessions. Fails where the script below knows better.
_dcodectl_values() {
    local line="${COMP_LINE:0:COMP_POINT}" found value word
    found=$(command dcodectl __complete line "$line" 2>/dev/null)
    case $? in
        0) ;;
        # Names of files: bash itself, as for any other command.
        2)
            COMPREPLY=()
            return 0
            ;;
        *) return 1 ;;
    esac
    # bash takes : = and @ for the ends of words: what stands before the last of them stays.
    word="${line##*[[:space:]]}"
    word="${word%"$1"}"
    COMPREPLY=()
    while IFS= read -r value; do
        [[ -n "$value" ]] || continue
        if [[ "${COMP_TYPE-}" == 63 && "${value#*$'\t'}" != "" ]]; then
            # They are only listed: with what they are.
            value="${value%%$'\t'*}  (${value#*$'\t'})"
        else
            value="${value%%$'\t'*}"
        fi
        COMPREPLY+=("${value#"$word"}")
    done <<<"$found"
    if [[ "${#COMPREPLY[@]}" -eq 0 ]]; then
        # No file names in their place.
        compopt +o default +o bashdefault 2>/dev/null
    elif [[ "${COMPREPLY[0]}" == *[:=] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}
