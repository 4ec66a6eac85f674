import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog } from '../catalog/open-catalog.ts'
import { OperationError } from '../operations/problem.ts'
import { realDisk } from '../store/disk.ts'
import { openOperatorBox } from '../testing/operator-box.ts'
import { settingsFile } from './settings-file.ts'

test('a change that the disk refuses leaves the file as it was, and no copy of its secrets', async () => {
  const text = 'share_key = "secret-of-a-box"\n'
  await using box = openOperatorBox({}, {}, text)
  const { dataDir, catalog, server, services } = box
  const disk = { ...realDisk, rename: async () => Promise.reject(new Error('the disk is full')) }
  const sources = { flags: { data: dataDir }, environment: {} }
  const plain = openCatalog(dataDir)
  const file = settingsFile({ config: server.config, sources, stores: services.stores, catalog, plain, disk })
  const refused: unknown = await file.setSettings({ 'backup-keep': '3' }, undefined).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(OperationError)
  expect(refused).toMatchObject({ problem: { code: 'settings_refused', reason: 'the disk is full' } })
  expect(readFileSync(join(dataDir, 'config.toml'), 'utf8')).toBe(text)
  expect(readdirSync(dataDir).filter((name) => name.startsWith('config'))).toEqual(['config.toml'])
})
