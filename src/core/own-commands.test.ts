import { expect, test } from 'bun:test'
import { ownCommand, shellWord, usualReach, withOwnCommands } from './own-commands.ts'

const reach = { program: '/opt/inferd', flags: ' --data /srv/models' }

test('a command reaches the server that names it', () => {
  expect(ownCommand('admin link', usualReach)).toBe('inferd admin link')
  expect(ownCommand('admin link', reach)).toBe('/opt/inferd admin link --data /srv/models')
  expect(ownCommand('', reach)).toBe('/opt/inferd --data /srv/models')
  expect(ownCommand('list --data /elsewhere', reach)).toBe('/opt/inferd list --data /elsewhere')
})

test('the quoted commands of a text become complete, and nothing else of it changes', () => {
  expect(withOwnCommands("there is no key; 'inferd keys list' and `inferd ps` show more", reach)).toBe(
    "there is no key; '/opt/inferd keys list --data /srv/models' and `/opt/inferd ps --data /srv/models` show more",
  )
  expect(withOwnCommands('\'sudo -u "#7" inferd …\'', reach)).toBe('\'sudo -u "#7" /opt/inferd … --data /srv/models\'')
  const plain = 'inferd lists what "inferd" knows; it\'s inferd list'
  expect(withOwnCommands(plain, reach)).toBe(plain)
  const once = withOwnCommands("'inferd list'", reach)
  expect(withOwnCommands(once, reach)).toBe(once)
})

test.each(['plain', '/srv/a b', 'a"b', 'a$HOME', 'a`b', 'a\\b', "it's", 'wow!', "it's wow!", 'ä', ''])(
  'a shell reads %j as one word',
  async (word) => {
    const shell = Bun.spawn(['sh', '-c', `printf %s ${shellWord(word)}`], { stdout: 'pipe' })
    expect(await new Response(shell.stdout).text()).toBe(word)
  },
)
