/** Returns a crontab line that runs a command each night. `%` is escaped because it would be a line break there. */
export function cronLine(command: string): string {
  return `0 3 * * *  ${command.replaceAll('%', '\\%')}`
}
