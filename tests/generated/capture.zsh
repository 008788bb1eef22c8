fpath=($PWD/completions $fpath)
autoload -Uz compinit
compinit -u -D
setopt no_beep
LISTMAX=9999
bindkey '^I' complete-word
# The mark is made by a key: between two commands the terminal would take keys for its own.
mark() { print -r -- -- >> $CAUGHT; BUFFER= }
zle -N mark
zle -N zle-line-init mark
bindkey '^T' mark
# As the builtin, and notes what it was given.
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return $?
    fi
    local -a __hits __described
    local __name
    if (( $@[(I)-d] )); then
        __name=${@[$[${@[(i)-d]}+1]]}
        [[ $__name == \(* ]] || __described=("${(@P)__name}")
    fi
    builtin compadd -A __hits -D __described "$@"
    local __at
    for __at in {1..$#__hits}; do
        (( $#__hits )) && print -r -- "$__hits[$__at]"$'\t'"${__described[$__at]-}" >> $CAUGHT
    done
    builtin compadd "$@"
}
