#include "cli/completion.h"

namespace drover::cli {
namespace {

// Bash cuts words at = and @, too: they are put together again, and what stands before the cut is
// taken off the candidates.
constexpr std::string_view kBash =
    R"sh(# drover completion for bash:  source <(drover completion bash)
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
  local cut=${current%"${current##*[=@:]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r word help; do
    case $word in
      :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
      :programs) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -c -f -- "$current") ;;
      *=) compopt -o nospace; COMPREPLY+=("${word#"$cut"}") ;;
      *) COMPREPLY+=("${word#"$cut"}") ;;
    esac
  done < <("${words[0]}" __complete -- "${words[@]:1}" 2> /dev/null)
}
complete -F _drover drover
)sh";

constexpr std::string_view kZsh = R"sh(#compdef drover
# drover completion for zsh:  source <(drover completion zsh), or as _drover in a folder of $fpath
_drover() {
  local word help
  local -a found
  while IFS=$'\t' read -r word help; do
    case $word in
      :files) _files; return ;;
      :folders) _files -/; return ;;
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
function __drover_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete -- $words[2..-1] 2> /dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (commandline -ct)
            case ':folders*'
                __fish_complete_directories (commandline -ct)
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
