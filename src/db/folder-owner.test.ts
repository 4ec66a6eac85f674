import { beforeEach, expect, test } from 'bun:test'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkFolderOwner } from './folder-owner.ts'

const isRoot = process.getuid?.() === 0
/** Id of a user without rights, for a child that makes the check: root itself can open every file. */
const nobody = 65_534
let folder = ''

beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), 'inferd-owner-'))
  chmodSync(parent, 0o755)
  folder = join(parent, 'data')
  mkdirSync(folder, { mode: 0o700 })
})

/** Returns the check's message to a user without root's rights; empty if there is none. */
async function saidToNobody(): Promise<string | undefined> {
  const script = `const { checkFolderOwner } = await import('${join(import.meta.dir, 'folder-owner.ts')}')
    process.setgid(${nobody}); process.setuid(${nobody})
    try { checkFolderOwner(${JSON.stringify(folder)}); console.log('') } catch (error) { console.log(error.message) }`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' })
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect(error).toBe('')
  return out.trim() || undefined
}

test('one’s own folder and one that is not there are fine', () => {
  checkFolderOwner(folder)
  checkFolderOwner(join(folder, 'nothing'))
  expect(existsSync(join(folder, 'nothing'))).toBe(false)
})

test('root keeps out of another user’s folder and says how to run it as that user', () => {
  if (isRoot) chownSync(folder, 54_321, 54_321)
  const owner = isRoot ? `'sudo -u "#54321" inferd …'` : "'sudo -u "
  expect(() => checkFolderOwner(folder, 0)).toThrow(owner)
  expect(() => checkFolderOwner(folder, 0)).toThrow(`${folder} belongs to `)
})

test.if(isRoot)('a folder that is closed to this user is named with its owner', async () => {
  expect(await saidToNobody()).toBe(
    `${folder} belongs to root and is closed to this user; run it as that user: 'sudo -u root inferd …'`,
  )
})

test.if(isRoot)('a file that root left in a user’s folder is named with the way back', async () => {
  chownSync(folder, nobody, nobody)
  expect(await saidToNobody()).toBeUndefined()
  writeFileSync(join(folder, 'inferd.db'), '', { mode: 0o600 })
  expect(await saidToNobody()).toBe(
    `${folder}/inferd.db belongs to root; give the folder back to its user, as root: chown -R nobody ${folder}`,
  )
})
