# Values that only dcodectl knows, such as live sessions. Fails where the script below knows better.
_dcodectl_values() {
    local found line value
    local -a words_so_far closed open
    words_so_far=("${(@)words[2,CURRENT-1]}")
    found=$(command dcodectl __complete words "${(@Q)words_so_far}" "${(Q)PREFIX}" 2>/dev/null) || return 1
    for line in "${(@f)found}"; do
        [[ -n "$line" ]] || continue
        value="${line%%$'\t'*}"
        line="${value//:/\\:}:${line#*$'\t'}"
        if [[ "$value" == *[:=] ]]; then
            open+=("$line")
        else
            closed+=("$line")
        fi
    done
    _describe -t values value closed -- open -S ''
    return 0
}
