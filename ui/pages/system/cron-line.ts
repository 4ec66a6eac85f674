import { quote } from '../../parts/code-text.ts'

/** A line of a crontab that backs up this data folder each night. In such a line `%` stands for a line break unless it is escaped. */
export function cronLine(dataFolder: string): string {
  return `0 3 * * *  inferd backup --data ${quote(dataFolder).replaceAll('%', '\\%')}`
}
