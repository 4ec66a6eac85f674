/** ONNX Runtime and sherpa-onnx in a separate folder, with stubs of the provider for NVIDIA's GPUs. */
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { RuntimePaths } from '../engines/protocol/backend.ts'

export interface StubProvider {
  readonly runtime: RuntimePaths
  /** Replaces the provider by bytes that are no library. */
  writeGarbage(): void
  /**
   * Replaces the provider by libraries compiled from C++ source. `wants` names a missing library that they need;
   * `options` are further words for the compiler.
   */
  compile(source: string, wants?: string, options?: readonly string[]): void
  remove(): void
}

export function stubProvider(paths: RuntimePaths): StubProvider {
  const libraries = dirname(paths.onnxRuntime)
  // On the same disk as the libraries, to which it has hard links.
  const folder = mkdtempSync(join(dirname(libraries), '.inferd-provider-'))
  const linked = [paths.onnxRuntime, paths.sherpaOnnx].map((path) => basename(path))
  for (const file of [...linked, 'libsherpa-onnx-c-api.so', 'libonnxruntime.so', 'libonnxruntime.so.1'])
    linkSync(join(libraries, file), join(folder, file))
  // ONNX Runtime loads the shared one first.
  const stubs = ['shared', 'cuda'].map((name) => join(folder, `libonnxruntime_providers_${name}.so`))
  return {
    runtime: {
      ...paths,
      onnxRuntime: join(folder, basename(paths.onnxRuntime)),
      sherpaOnnx: join(folder, basename(paths.sherpaOnnx)),
    },
    writeGarbage: () => {
      for (const path of stubs) writeFileSync(path, 'no library')
    },
    compile: (source, wants, options = []) => {
      const missing = wants === undefined ? [] : [join(folder, wants)]
      for (const path of missing) compileLibrary('', path, [`-Wl,-soname,${basename(path)}`])
      for (const path of stubs) compileLibrary(source, path, ['-Wl,--no-as-needed', ...options, ...missing])
      for (const path of missing) rmSync(path)
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

function compileLibrary(source: string, output: string, options: readonly string[]): void {
  rmSync(output, { force: true })
  const command = ['g++', '-shared', '-fPIC', '-x', 'c++', '-', '-x', 'none', ...options, '-o', output]
  const { exitCode, stderr } = Bun.spawnSync(command, { stdin: Buffer.from(source) })
  if (exitCode !== 0) throw new Error(stderr.toString())
}
