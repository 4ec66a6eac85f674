import { join } from 'node:path'
import { readCudaCode } from '../../../src/machine/cuda-code.ts'
import { libraryName } from '../../cuda/places.ts'
import { ask } from '../../smoke/client.ts'
import { clientOf, cudaFolder, type Kit, loadedLibraries, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

/** Notes the machine's hardware, the executable's parts for it, and inferd's own report of its backends. */
export async function probe(kit: Kit, note: Note, scope: Scope): Promise<void> {
  note('inferd', await output([...kit.inferd, '--version']))
  const query = ['--query-gpu=name,driver_version,compute_cap,memory.total', '--format=csv,noheader']
  note('cards', Bun.which('nvidia-smi') === null ? 'none: no nvidia-smi here' : await output(['nvidia-smi', ...query]))
  const server = await startServer(kit, scope, ['--device', 'cpu', '--preload', 'inferd/starter-chat'])
  await ask(clientOf(server)) // engines load their libraries now
  note('start', `${server.startMs.toFixed(0)} ms until it listens, libraries unpacked`)
  const folder = loadedLibraries(server)
  note('libraries', folder ?? 'none loaded')
  note('inferd gpu', await output([...kit.inferd, 'gpu', '--data', server.data]))
  note('inferd gpu probe', await output([...kit.inferd, 'gpu', 'probe', '--data', server.data]))
  const file = folder === undefined ? undefined : join(cudaFolder(folder), libraryName)
  if (file === undefined || !(await Bun.file(file).exists())) return note('CUDA code', 'none: this is not inferd-cuda')
  const { machineCode, ptx } = readCudaCode(file)
  const languages = ptx.map(({ architecture, version }) => `${architecture} (${version})`)
  note('CUDA code', `machine code for ${machineCode.join(', ')}; PTX for ${languages.join(', ') || 'none'}`)
}

async function output(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [text, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const said = (text.trim() === '' ? errors : text).trim().replaceAll(/\s*\n\s*/g, ' / ')
  return code === 0 ? said : `ended with ${code}: ${said}`
}
