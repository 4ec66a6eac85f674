import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Catalog } from '../catalog/catalog.ts'
import { newId } from '../core/ids.ts'
import { modelSource } from '../store/bundle/bundle-sources.ts'
import { collectLicenses } from '../store/bundle/collect-licenses.ts'
import { type CreatedBundle, type CreateOptions, createBundle } from '../store/bundle/create-bundle.ts'
import { type InstalledModels, type InstallOptions, installModels } from '../store/bundle/install-bundle.ts'
import { planInstall } from '../store/bundle/plan-install.ts'
import { readTrusted, type Trust } from '../store/bundle/trust.ts'
import { importModel } from '../store/import/import-model.ts'
import { publicKeyText } from '../store/minisign/public-key.ts'
import { generateSecretKey, type SecretKey } from '../store/minisign/secret-key.ts'
import { tinyGguf } from './gguf/tiny-gguf.ts'

/** A folder that contains a box with generated models, and the results of its commands. */
export interface BundleBox extends Disposable {
  readonly folder: string
  readonly dataDir: string
  readonly key: SecretKey
  readonly catalog: Catalog
  /** Makes a tiny model. Each seed gives different content. */
  addModel(id: string, seed?: string): Promise<void>
  /** Bundles these models into `<folder>/<to>`, in small parts. */
  bundle(ids: readonly string[], to: string, options?: Partial<CreateOptions>): Promise<CreatedBundle>
  /** Trust in the box's key only. */
  readonly trust: Trust
  /** Installs a bundle from its disks into `<folder>/<box>`. */
  install(roots: readonly string[], box: string, options?: Partial<InstallOptions>): Promise<InstalledBox>
}

export interface InstalledBox extends InstalledModels {
  readonly dataDir: string
  readonly catalog: Catalog
}

export function bundleBox(): BundleBox {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-bundle-'))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const catalog = emptyCatalog(dataDir)
  const key = generateSecretKey()
  return {
    folder,
    dataDir,
    key,
    catalog,
    async addModel(id, seed = id) {
      const path = join(folder, `${id.replace('/', '-')}.gguf`)
      writeFileSync(path, Buffer.concat([tinyGguf(), Buffer.from(seed)]))
      await importTiny(path, id, dataDir)
    },
    async bundle(ids, to, options = {}) {
      const models = []
      for (const id of ids) {
        const found = catalog.resolve(id)
        if (found === undefined) throw new Error(`there is no ${id}`)
        models.push(await modelSource(found.entry, dataDir))
      }
      return await createBundle({
        models,
        licenses: await collectLicenses(models, new Map()),
        executable: undefined,
        to: join(folder, to),
        base: [],
        key,
        partBytes: 100_000,
        version: '1.2.3',
        newId,
        nowMs: Date.UTC(2026, 10, 22, 9, 30, 7),
        ...options,
      })
    },
    trust: { kind: 'keys', keys: [publicKeyText(key.publicKey)] },
    async install(roots, name, options = {}) {
      const target = join(folder, name)
      mkdirSync(target, { recursive: true, mode: 0o700 })
      const catalog = emptyCatalog(target)
      const { manifest } = await readTrusted(roots[0] ?? '', this.trust)
      const installed = await installModels(planInstall(manifest, target), {
        roots,
        dataDir: target,
        isDescribed: ({ id }) => catalog.resolve(id) !== undefined,
        clock: Date.now,
        ...options,
      })
      return { ...installed, dataDir: target, catalog }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Imports a file into a data folder as a model, without loading it first as the command does. */
export async function importTiny(path: string, id: string, dataDir: string, aliases: string[] = []): Promise<void> {
  await importModel({ path, id, dataDir, isInPlace: false, known: undefined, aliases })
}

/** Returns a catalog with only the operator's manifests. */
function emptyCatalog(dataDir: string): Catalog {
  return new Catalog({ shipped: [], shippedAtMs: 0, dataDir, shippedFile: () => undefined })
}

/** Changes one byte of a file. */
export function flipByte(path: string, offset: number, bits = 1): void {
  const bytes = readFileSync(path)
  bytes[offset] = (bytes[offset] ?? 0) ^ bits
  writeFileSync(path, bytes)
}
