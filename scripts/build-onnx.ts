/**
 * Puts the libraries for ONNX models into `build/onnx`, so that one ONNX Runtime serves its own binding and
 * sherpa-onnx. sherpa-onnx's library is a copy that asks for the installed version. Runs after each `bun install` and
 * in `bun run native`, and prints nothing.
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runtimeLayout } from '../src/engines/runtime/runtime-paths.ts'
import { replaceWantedVersion } from './native/wanted-version.ts'

const root = join(import.meta.dir, '..')

/** Known version of sherpa-onnx's library, in which bytes are replaced. Another version must be inspected first. */
const knownSherpa = {
  sha256: 'b1019f8c9583e3e576c2ba6032b580677fcf6e2230c241a8b423c65aceded021',
  wants: 'VERS_1.28.2',
}

/**
 * Builds the libraries. Returns the missing parts as text, undefined if none is missing. Throws if a package has
 * unknown files. `packages`: the folder `node_modules`.
 */
export function buildOnnx(packages: string, output: string): string | undefined {
  const runtime = join(packages, `onnxruntime-node/bin/napi-v6/linux/${process.arch}`)
  const sherpa = join(packages, `sherpa-onnx-linux-${process.arch}`)
  mkdirSync(output, { recursive: true })
  const library = join(runtime, 'libonnxruntime.so.1')
  const { version } = JSON.parse(readFileSync(join(packages, 'onnxruntime-node/package.json'), 'utf8'))
  // Read before anything is placed, so that a refusal leaves the earlier result.
  const changed = existsSync(sherpa)
    ? sherpaLibrary(join(sherpa, 'libsherpa-onnx-c-api.so'), library, version)
    : undefined
  place(join(output, 'onnxruntime_binding.node'), (path) => linkOrCopy(join(runtime, 'onnxruntime_binding.node'), path))
  // Names that the binding and sherpa-onnx ask for.
  for (const name of ['libonnxruntime.so.1', 'libonnxruntime.so'])
    place(join(output, name), (path) => linkOrCopy(library, path))
  if (changed === undefined) return `speech cannot run in this checkout: ${sherpa} is not there`
  place(join(output, 'libsherpa-onnx-c-api.so'), (path) => writeFileSync(path, changed))
  place(join(output, 'sherpa-onnx.node'), (path) => linkOrCopy(join(sherpa, 'sherpa-onnx.node'), path))
  return undefined
}

function sherpaLibrary(path: string, onnxRuntime: string, version: string): Uint8Array {
  const content = readFileSync(path)
  const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex')
  if (sha256 !== knownSherpa.sha256) {
    throw new Error(
      `${path} is not the library that scripts/build-onnx.ts knows (sha256 ${sha256}): read with "readelf -V" which ` +
        'version of libonnxruntime.so it wants, and with the headers of that version whether the one that is installed will do',
    )
  }
  const offered = `VERS_${version}`
  if (!readFileSync(onnxRuntime).includes(`\0${offered}\0`)) throw new Error(`${onnxRuntime} does not offer ${offered}`)
  return replaceWantedVersion(content, knownSherpa.wants, offered)
}

/** Writes a new file and renames it, since a running engine keeps its opened file. */
function place(target: string, write: (path: string) => void): void {
  const temporary = `${target}.${process.pid}.tmp`
  try {
    write(temporary)
    renameSync(temporary, target)
  } finally {
    rmSync(temporary, { force: true }) // where both are one file already, renaming leaves it
  }
}

/** Links the file if possible, since the libraries are large and nothing writes to them. */
function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    copyFileSync(source, target)
  }
}

if (import.meta.main) {
  try {
    const missing = buildOnnx(join(root, 'node_modules'), join(root, dirname(runtimeLayout.onnxRuntime)))
    // No failure, since texts still work, and packages for this processor may not exist.
    if (missing !== undefined) console.error(`${basename(import.meta.path)}: ${missing}`)
  } catch (error) {
    console.error(`${basename(import.meta.path)}: ${error instanceof Error ? error.message : error}`)
    process.exit(1)
  }
}
