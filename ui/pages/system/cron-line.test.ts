import { expect, test } from 'bun:test'
import { cronLine } from './cron-line.ts'

test('the line for cron has the command as cron reads it', () => {
  expect(cronLine('/opt/inferd backup --data "/srv/100%"')).toBe('0 3 * * *  /opt/inferd backup --data "/srv/100\\%"')
})
