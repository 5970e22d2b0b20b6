#include "cli/help/completion.h"

namespace drover::cli {
namespace {

// A path may be the whole word, the part after the first = (--each-file=a:b/c), or the part after
// the last = or : (HOST:a=b).
//
// Bash also splits words at =, : and @ (unless COMP_WORDBREAKS says otherwise). The script joins
// them again, and removes the part before the split from the candidates.
constexpr std::string_view kBash =
    R"sh(# drover completion for bash:  source <(drover completion bash)
_drover_paths() {
  local kind=$1 typed before
  compopt -o filenames
  while read -r typed && read -r before; do
    mapfile -t COMPREPLY < <(compgen $kind -- "$typed")
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
    [[ ${#COMPREPLY[@]} -gt 0 ]] && return
  done <<< "$current"$'\n'"$cut"$'\n'"${current#*=}"$'\n'"${cut#*=}"$'\n'"${current#"$cut"}"$'\n'
}
_drover() {
  local rest=${COMP_LINE:0:COMP_POINT} word words=()
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ ${#words[@]} -eq 0 || $rest == [[:space:]]* ]]; then
      words+=("$word")
    else
      words[${#words[@]}-1]+=$word
    fi
    rest=${rest#*"$word"}
  done
  local current=${words[${#words[@]}-1]} help
  local cut= breaks=${COMP_WORDBREAKS//[^=@:]}
  [[ -n $breaks ]] && cut=${current%"${current##*["$breaks"]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r word help; do
    case $word in
      :files) _drover_paths -f ;;
      :directories) _drover_paths -d ;;
      :programs) _drover_paths '-c -f' ;;
      *=) compopt -o nospace; COMPREPLY+=("${word#"$cut"}") ;;
      *) COMPREPLY+=("${word#"$cut"}") ;;
    esac
  done < <("${words[0]}" __complete -- "${words[@]:1}" 2> /dev/null)
}
complete -F _drover drover
)sh";

constexpr std::string_view kZsh = R"sh(#compdef drover
# drover completion for zsh:  source <(drover completion zsh), or as _drover in a directory of $fpath
_drover_files() {
  _files $@ || { compset -P 1 '*=' && _files $@ } || { compset -P '*[=:]' && _files $@ }
}
_drover() {
  local word help
  local -a found
  while IFS=$'\t' read -r word help; do
    case $word in
      :files) _drover_files; return ;;
      :directories) _drover_files -/; return ;;
      :programs) _alternative 'programs:program:_command_names -e' 'files:file:_files'; return ;;
      *) found+=("${word//:/\\:}${help:+:$help}") ;;
    esac
  done < <("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)
  _describe -V drover found
}
compdef _drover drover
)sh";

constexpr std::string_view kFish =
    R"sh(# drover completion for fish:  drover completion fish | source
function __drover_paths --argument-names how token
    $how $token
    for cut in '^[^=]*=' '^.*[=:]'
        set -l before (string match -r $cut -- $token); or continue
        set -l found ($how (string sub -s (math (string length -- $before) + 1) -- $token))
        for path in $found
            echo $before$path
        end
        set -q found[1]; and return
    end
end
function __drover_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete -- $words[2..-1] 2> /dev/null)
        switch $line
            case ':files*'
                __drover_paths __fish_complete_path (commandline -ct)
            case ':directories*'
                __drover_paths __fish_complete_directories (commandline -ct)
            case ':programs*'
                complete -C (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c drover -f -a '(__drover_complete)'
)sh";

}  // namespace

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return "";
}

}  // namespace drover::cli
