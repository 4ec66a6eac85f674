import type { Command } from 'commander'
import { formatTable } from '../format.ts'
import { type Io, printAnswer } from '../io.ts'
import { configOf, newCommand } from '../options.ts'
import { importCommand } from './import.ts'
import { installCommand } from './install.ts'
import { removeCommand } from './remove.ts'

/** `gpu` alone shows; its subcommands change something. */
export function gpuCommand(io: Io): Command {
  const command = newCommand('gpu', 'show the GPUs, and the libraries that compute on them')
  for (const subcommand of [installCommand, importCommand, removeCommand]) command.addCommand(subcommand(io))
  // Flags after a subcommand are its own.
  command.enablePositionalOptions()
  return command.action(async () => {
    const { data, engineEnvironment } = configOf(command, io)
    const [{ readGpuSigns, usualPlaces }, { llamaCandidates }, { runtimePaths }] = await Promise.all([
      import('../../machine/gpu-signs.ts'),
      import('../../engines/backends/llama-candidates.ts'),
      import('../../engines/runtime-paths.ts'),
    ])
    const signs = readGpuSigns(usualPlaces(engineEnvironment.LD_LIBRARY_PATH))
    const backends = llamaCandidates(await runtimePaths(data))
    printAnswer(command, io, { ...signs, backends }, () => {
      const driver = signs.nvidiaDriver === undefined ? 'No NVIDIA driver is loaded.' : `Driver ${signs.nvidiaDriver}.`
      return `${driver}\n${formatTable(backends, { BACKEND: ({ label }) => label, FILE: ({ library }) => library ?? '-' })}`
    })
  })
}
