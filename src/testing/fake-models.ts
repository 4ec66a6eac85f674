import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstalledModel, ModelManifest } from '../core/model.ts'
import type { FakeModelFile } from '../engines/fake/placements.ts'
import { testManifest } from './test-manifest.ts'

/** Adds a model of the fake engine to a data folder: `test/fake`, which sees pictures, with the alias `fake`. */
export function addFakeModel(dataDir: string): void {
  const folder = join(dataDir, 'models.d')
  mkdirSync(folder, { recursive: true })
  const manifest = 'id = "test/fake"\ntype = "vision"\nengine = "fake"\naliases = [{ id = "fake" }]\n'
  writeFileSync(join(folder, 'fake.toml'), manifest)
}

/** Models of the fake engine, whose files state their needs. */
export class FakeModels {
  readonly #folder = mkdtempSync(join(tmpdir(), 'inferd-fake-models-'))

  make(
    id: string,
    hostBytes: number,
    more: Partial<FakeModelFile & { manifest: Partial<ModelManifest> }> = {},
  ): InstalledModel {
    const { manifest, ...rest } = more
    const path = join(this.#folder, `${id.replace('/', '-')}.fake.json`)
    const file: FakeModelFile = { needBytes: { host: hostBytes }, ...rest }
    writeFileSync(path, JSON.stringify(file))
    return { manifest: testManifest({ id, ...manifest }), filePaths: { model: path } }
  }

  /** Makes a FIFO for `gate`, and a function that opens it. */
  gate(name: string): { readonly gate: string; open(): Promise<void> } {
    const gate = join(this.#folder, name)
    Bun.spawnSync(['mkfifo', gate])
    return {
      gate,
      open: async () => {
        // The shell waits until the model's engine reads; a write by the runtime would not wait.
        await Bun.spawn(['sh', '-c', 'echo open > "$0"', gate]).exited
      },
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true })
  }
}
