import type { Command } from 'commander'
import { type Io, printAnswer } from '../io.ts'
import { configOf, newCommand } from '../options.ts'
import { backendTable } from './backend-table.ts'
import { importCommand } from './import.ts'
import { installCommand } from './install.ts'
import { knownBackends } from './known-backends.ts'
import { probeCommand } from './probe.ts'
import { removeCommand } from './remove.ts'

/** `gpu` alone shows; its subcommands change something. */
export function gpuCommand(io: Io): Command {
  const command = newCommand('gpu', 'show the GPUs, and the libraries that compute on them')
  for (const subcommand of [installCommand, importCommand, removeCommand, probeCommand])
    command.addCommand(subcommand(io))
  command.enablePositionalOptions()
  return command.action(async () => {
    const { engineEnvironment } = configOf(command, io)
    const { readGpuSigns, usualPlaces } = await import('../../machine/gpu-signs.ts')
    const signs = readGpuSigns(usualPlaces(engineEnvironment.LD_LIBRARY_PATH))
    const backends = await knownBackends(command, io)
    printAnswer(command, io, { ...signs, backends }, () => {
      const driver =
        signs.nvidiaDriver === undefined ? 'No NVIDIA driver is loaded.' : `NVIDIA driver ${signs.nvidiaDriver}.`
      return `${driver}\n${backendTable(backends)}`
    })
  })
}
