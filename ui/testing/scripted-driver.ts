/** Program `nvidia-smi` that reports the devices that a test sets, for machines without any. */
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ScriptedDevice {
  readonly totalMib: number
  readonly load: number
  readonly celsius: number
  readonly watts: number
  /** Memory of processes by their ids, in MiB. */
  readonly processes?: Readonly<Record<number, number>>
  /** Memory of programs that the driver does not name, in MiB */
  readonly otherMib?: number
}

export class ScriptedDriver implements Disposable {
  /** Folder to put first in PATH */
  readonly folder = mkdtempSync(join(tmpdir(), 'inferd-driver-'))
  readonly #hanging = join(this.folder, 'hanging')

  constructor(devices: readonly ScriptedDevice[]) {
    const program = join(this.folder, 'nvidia-smi')
    const answers = ['driver_version', 'query-gpu', 'query-compute-apps']
    const cases = answers.map((name) => `*${name}*) cat '${join(this.folder, name)}' ;;`)
    const lines = ['#!/bin/sh', `[ -e '${this.#hanging}' ] && exec sleep 60`, 'case "$1" in', ...cases, 'esac', '']
    writeFileSync(program, lines.join('\n'))
    chmodSync(program, 0o755)
    this.tell(devices)
  }

  /** Sets the devices that the program reports from now on. */
  tell(devices: readonly ScriptedDevice[]): void {
    const rows = devices.map(({ totalMib, otherMib = 0, load, celsius, watts, processes = {} }, index) => {
      const used = Object.values(processes).reduce((sum, each) => sum + each, otherMib)
      const uuid = `GPU-${index}1111111-aaaa-bbbb-cccc-000000000000`
      return {
        name: `${uuid}, NVIDIA H200`,
        uuid,
        memory: `${totalMib}, ${totalMib - used}`,
        load,
        celsius,
        watts,
        processes,
      }
    })
    this.#write(
      'driver_version',
      rows.map(({ name, memory }) => `${name}, 570.1, [N/A], ${memory}`),
    )
    this.#write(
      'query-gpu',
      rows.map(({ name, memory, ...row }) => `${name}, ${memory}, ${row.load}, ${row.celsius}, ${row.watts}`),
    )
    this.#write(
      'query-compute-apps',
      rows.flatMap(({ uuid, processes }) => Object.entries(processes).map(([pid, mib]) => `${uuid}, ${pid}, ${mib}`)),
    )
  }

  /** Makes the program hang from now on, as with a broken driver. */
  hang(): void {
    writeFileSync(this.#hanging, '')
  }

  answer(): void {
    rmSync(this.#hanging, { force: true })
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Replaces a file at once, because it may be read at any moment. */
  #write(name: string, lines: readonly string[]): void {
    const path = join(this.folder, name)
    writeFileSync(`${path}.new`, lines.map((line) => `${line}\n`).join(''))
    renameSync(`${path}.new`, path)
  }
}
