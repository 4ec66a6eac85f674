/** Commands in messages. Texts name them as `'inferd list'`; the code that shows a text completes them. */

/** Parts that make a command reach one server. */
export interface CommandReach {
  /** Word that starts this program from a shell: `inferd`, or its full path if a shell would not find it. */
  readonly program: string
  /** Flags that name the data folder and the settings file, with a space before each. Empty if a command finds both by itself. */
  readonly flags: string
}

/** Reach of the server with the default data folder. */
export const usualReach: CommandReach = { program: 'inferd', flags: '' }

/** Returns the command line of `inferd <words>` that reaches that server. */
export function ownCommand(words: string, { program, flags }: CommandReach): string {
  const isComplete = / --data\b/.test(words) || (flags !== '' && words.endsWith(flags))
  return `${program}${words === '' ? '' : ` ${words}`}${isComplete ? '' : flags}`
}

/** Quoted command. `…` stands for the user's own words. A prefix `sudo -u` runs it as another user. */
const quotedCommand = /(?<=['`“](?:sudo -u \S+ )?)inferd(?: ([a-z…][^'`”]*))?(?=['`”])/g

/** Completes every quoted command in a text. */
export function withOwnCommands(text: string, reach: CommandReach): string {
  return text.replace(quotedCommand, (_, words?: string) => ownCommand(words ?? '', reach))
}

/**
 * Returns a word as a shell reads it, quoted if necessary. Avoids single quotes, since texts put commands into them.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  // Interactive shells expand "!" even within double quotes.
  if (word.includes('!')) return `'${word.replaceAll("'", "'\\''")}'`
  return `"${word.replaceAll(/["\\$`]/g, '\\$&')}"`
}
