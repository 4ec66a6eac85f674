/** Commands in messages. Texts name them as `'inferd list'`; the edge that shows a text completes them. */

/** Parts that make a command of this program reach one server. */
export interface CommandReach {
  /** Starts this program from a shell: `inferd`, or its full path where a shell would not find it. */
  readonly program: string
  /** Flags that name the data folder and the settings file, with a space before each. Empty if a command finds both by itself. */
  readonly flags: string
}

/** Commands that reach the server of the usual data folder. */
export const usualReach: CommandReach = { program: 'inferd', flags: '' }

/** Returns the command line of `inferd <words>` that reaches that server. */
export function ownCommand(words: string, { program, flags }: CommandReach): string {
  const isComplete = / --data\b/.test(words) || (flags !== '' && words.endsWith(flags))
  return `${program}${words === '' ? '' : ` ${words}`}${isComplete ? '' : flags}`
}

/** `…` stands for the words that were typed; root runs them as another user. */
const quotedCommand = /(?<=['`“](?:sudo -u \S+ )?)inferd(?: ([a-z…][^'`”]*))?(?=['`”])/g

/** Completes every quoted command in a text. */
export function withOwnCommands(text: string, reach: CommandReach): string {
  return text.replace(quotedCommand, (_, words?: string) => ownCommand(words ?? '', reach))
}

/** Returns a word as a shell reads it: quoted where it has to be, without single quotes if possible, in which texts put commands. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  // Within double quotes a shell of a terminal still expands "!".
  if (word.includes('!')) return `'${word.replaceAll("'", "'\\''")}'`
  return `"${word.replaceAll(/["\\$`]/g, '\\$&')}"`
}
