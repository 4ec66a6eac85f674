/** A line of a crontab that runs a command each night. In such a line `%` stands for a line break unless it is escaped. */
export function cronLine(command: string): string {
  return `0 3 * * *  ${command.replaceAll('%', '\\%')}`
}
