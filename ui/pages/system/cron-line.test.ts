import { expect, test } from 'bun:test'
import { cronLine } from './cron-line.ts'

test.each([
  ['/var/lib/inferd', "'/var/lib/inferd'"],
  ["/srv/ada's 100%", "'/srv/ada'\\''s 100\\%'"],
])('the line for cron names the data folder %s as the shell and cron read it', (folder, written) => {
  expect(cronLine(folder)).toBe(`0 3 * * *  inferd backup --data ${written}`)
})
