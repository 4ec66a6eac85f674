import type { Command } from 'commander'
import { type Io, UsageError } from './io.ts'
import { newCommand } from './options.ts'

/** Command with its path of words, such as `keys create`. The program itself has an empty path. */
interface Place {
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  readonly flags: readonly { readonly flag: string; readonly summary: string; readonly takesValue: boolean }[]
}

/** Scripts by shell. */
const scripts: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export function completionCommand(io: Io): Command {
  const command = newCommand('completion', 'print a script that completes commands and flags in a shell').argument(
    '<shell>',
    Object.keys(scripts).join(', '),
  )
  return command.action((shell: string) => {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    const { parent: program } = command
    if (script === undefined || program === null)
      throw new UsageError(`the shell must be one of ${Object.keys(scripts).join(', ')}, not "${shell}"`)
    io.out(script(placesOf(program)))
  })
}

/** Returns all commands with their flags. Flags without a command belong to `serve`. */
function placesOf(program: Command): Place[] {
  const [root, ...others] = placesBelow(program, '')
  const serve = others.find(({ path }) => path === 'serve')
  return root === undefined ? [] : [{ ...root, flags: [...root.flags, ...(serve?.flags ?? [])] }, ...others]
}

function placesBelow(command: Command, path: string): Place[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command).filter((each) => command.commands.includes(each))
  const place = {
    path,
    commands: commands.map((each) => ({ name: each.name(), summary: each.description() })),
    flags: help
      .visibleOptions(command)
      .flatMap(({ long, description, required, optional }) =>
        long === undefined || long === null
          ? []
          : { flag: long, summary: description, takesValue: required || optional },
      ),
  }
  return [place, ...commands.flatMap((each) => placesBelow(each, `${path} ${each.name()}`.trim()))]
}

function wordsOf({ commands, flags }: Place): string {
  return [...commands.map(({ name }) => name), ...new Set(flags.map(({ flag }) => flag))].join(' ')
}

/** Returns the paths of all commands as patterns of a `case`. */
function patterns(places: readonly Place[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : `" ${path}"`)).join('|')
}

function caseLines(places: readonly Place[]): string {
  return places.map((place) => `    "${place.path && ` ${place.path}`}") list="${wordsOf(place)}" ;;`).join('\n')
}

function bashScript(places: readonly Place[]): string {
  return `# Completion of inferd for bash: eval "$(inferd completion bash)"
_inferd() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" list="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${patterns(places)}) path="$path $word" ;;
    esac
  done
  case "$path" in
${caseLines(places)}
  esac
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -o default -F _inferd inferd
`
}

function zshScript(places: readonly Place[]): string {
  return `#compdef inferd
# Completion of inferd for zsh: source <(inferd completion zsh)
_inferd() {
  local where="" list="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$where $word" in
      ${patterns(places)}) where="$where $word" ;;
    esac
  done
  case "$where" in
${caseLines(places)}
  esac
  compadd -- \${=list}
  [[ "$PREFIX" == -* ]] || _files
}
compdef _inferd inferd
`
}

function fishScript(places: readonly Place[]): string {
  const at = (place: Place) => `-n 'test (__inferd_path) = ${fishPath(place)}'`
  const lines = places.flatMap((place) => [
    ...place.commands.map(({ name, summary }) => `complete -c inferd ${at(place)} -a ${name} -d ${fishText(summary)}`),
    ...place.flags.map(({ flag, summary, takesValue }) => {
      const value = takesValue ? ' -r' : ''
      return `complete -c inferd ${at(place)} -l ${flag.slice(2)}${value} -d ${fishText(summary)}`
    }),
  ])
  return `# Completion of inferd for fish: inferd completion fish | source
function __inferd_path
  set -l path inferd
  for word in (commandline -opc)[2..-1]
    switch (string join / $path $word)
      case ${places.map(fishPath).join(' ')}
        set path $path $word
    end
  end
  string join / $path
end
${lines.join('\n')}
`
}

function fishPath({ path }: Place): string {
  return `inferd ${path}`.trim().replaceAll(' ', '/')
}

function fishText(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
