/** Says in words why a backend does not compute, and what to do about it. Pure: one table from evidence to words. */

import type { CudaCode } from '../../machine/cuda-code.ts'
import { isFetched, listed } from '../../nvidia/libraries.ts'
import { isPanic } from '../host/exit-reason.ts'
import { neededDriver } from './cuda-fit.ts'

export interface BackendEvidence {
  /** Last lines of the process, including its own report of a failure. */
  readonly lines: readonly string[]
  /** Exit code or signal in words. Undefined if the process reported the failure itself. */
  readonly exit?: string | undefined
  /** Time after which the hung process was killed. */
  readonly hungAfterMs?: number | undefined
  /** Loaded NVIDIA driver, such as `580.95.05`. */
  readonly driver?: string | undefined
  /** Compute capabilities of the cards, such as `9.0`. */
  readonly capabilities?: readonly string[] | undefined
  /** Code in the library, read from its file. */
  readonly code?: CudaCode | undefined
  /** NVIDIA's libraries that the backend needs and this machine lacks. */
  readonly missing?: readonly string[] | undefined
  /** True if `./install.sh --cuda` builds a library for this machine's card. */
  readonly canBeBuilt?: boolean | undefined
}

export interface Reason {
  readonly reason: string
  readonly nextStep: string
  /** True if only this model cannot run on the backend; another model may. */
  readonly isOfModel?: true
}

type Words = (evidence: BackendEvidence, found: RegExpExecArray) => Reason

const rows: readonly (readonly [pattern: RegExp, words: Words])[] = [
  [
    /failed to map segment from shared object|libggml\S*: .*Operation not permitted/,
    () => ({
      reason: 'its library lies on a file system that is mounted noexec',
      nextStep: 'choose --data on another file system, or mount it without noexec',
    }),
  ],
  [
    /libcuda\.so\.1: cannot open shared object file/,
    () => ({
      reason: "NVIDIA's driver library libcuda.so.1 is missing",
      nextStep: 'install driver 580 or newer; a container needs the GPU passed in (--gpus all)',
    }),
  ],
  [
    /libvulkan\.so\.1: cannot open shared object file/,
    () => ({ reason: 'library libvulkan.so.1 is missing', nextStep: 'install the package libvulkan1' }),
  ],
  [
    /((?:libcudnn\w*|libcufft|libnvrtc\S*)\.so\.\d+)\S*: cannot open shared object file/,
    (_, [, library]) => ({ reason: `library ${library} is missing`, nextStep: "run 'inferd gpu install --cudnn'" }),
  ],
  [
    /((?:libcu\w+|libnv\w+)\.so\.\d+)\S*: cannot open shared object file/,
    ({ missing = [] }, [, library = '']) => {
      const names = missing.includes(library) ? missing : [library, ...missing]
      return {
        reason: names.length === 1 ? `library ${library} is missing` : `libraries ${listed(names)} are missing`,
        nextStep: names.some(isFetched)
          ? "run 'inferd gpu install'"
          : 'install it from your distribution or with the CUDA toolkit of that version',
      }
    },
  ],
  [
    /([\w.-]+\.so[\w.]*): cannot open shared object file/,
    (_, [, library]) => ({
      reason: `library ${library} is missing`,
      nextStep: 'install the package of your distribution that has it',
    }),
  ],
  [
    /undefined symbol: (\w+)|version [`'](\S+)' not found/,
    (_, [, symbol, version]) => ({
      reason: `its library does not fit this system: ${symbol === undefined ? `version ${version}` : `symbol ${symbol}`} is missing`,
      nextStep: 'update the driver, and look for older copies of the library in LD_LIBRARY_PATH',
    }),
  ],
  [
    /forward compatibility was attempted on non supported HW/,
    () => ({
      reason: "NVIDIA's cuda-compat libraries are in the way: this card cannot use them",
      nextStep: 'remove cuda-compat from LD_LIBRARY_PATH or from the image, and update the driver instead',
    }),
  ],
  [
    /driver version is insufficient|CUDA driver is a stub/,
    (evidence) => ({
      reason: `${driverWords(evidence.driver)} is too old for this library: it needs ${neededWords(evidence)}`,
      nextStep: 'update the driver',
    }),
  ],
  [
    /PTX was compiled with an unsupported toolchain|PTX JIT compil\w+ failed/i,
    (evidence) => ({
      reason: `${driverWords(evidence.driver)} is too old for this library: ${lacksWords(evidence)}, and compiling it for the card needs ${neededWords(evidence)}`,
      nextStep: evidence.canBeBuilt
        ? 'update the driver, or build the library for this card: ./install.sh --cuda'
        : 'update the driver',
    }),
  ],
  [
    /no kernel image is available|invalid device function|not compiled with any of the .*architectures/i,
    (evidence) => ({
      reason: `the card's architecture is not in the build: ${lacksWords(evidence)}`,
      nextStep: evidence.canBeBuilt
        ? 'build the library for this card: ./install.sh --cuda'
        : 'models that need it run on the CPU; a newer inferd may have code for this card',
    }),
  ],
  [
    /out of memory|OutOfDeviceMemory|OUT_OF_DEVICE_MEMORY|CUBLAS_STATUS_ALLOC_FAILED|failed to allocate/i,
    () => ({ reason: 'out of memory', nextStep: 'end what else uses the card, or unload models', isOfModel: true }),
  ],
  [
    /no CUDA-capable device|finds no device/,
    () => ({
      reason: 'its library finds no device',
      nextStep: 'see CUDA_VISIBLE_DEVICES; a container needs the GPU passed in (--gpus all)',
    }),
  ],
  [
    /(?:CUDA|cu\w+)\b.*(?:unknown error|initialization error|system not yet initialized|not permitted)/i,
    () => ({
      reason: 'the driver cannot be initialized',
      nextStep: 'restart the container or the machine; after a suspend, reload nvidia_uvm',
    }),
  ],
  [
    /ErrorDeviceLost|illegal memory access|unspecified launch failure|device-side assert|misaligned address|uncorrectable ECC|fallen off the bus/i,
    (_, [words]) => ({
      reason: `a kernel failed on the card (${words})`,
      nextStep: "see the kernel's log (dmesg) for Xid errors, and update the driver",
    }),
  ],
  [
    /computed wrong numbers/,
    () => ({
      reason: 'it computed wrong numbers',
      nextStep: 'update the driver; if that does not help, the card or its library is faulty',
    }),
  ],
]

/** Less specific reasons, used when no line matches `rows`. */
const vagueRows: typeof rows = [
  [
    /a convolution was not computed \(matrices were\)/,
    () => ({
      reason: 'cuDNN 9 is missing or does not fit, without which nothing with convolutions computes',
      nextStep: "run 'inferd gpu install --cudnn'",
    }),
  ],
]

/** Any line of a GPU backend's library. */
const ofBackend =
  /ggml[-_](?:cuda|vulkan)|\bCUDA error|cudaError|CUDA_ERROR|CUBLAS_STATUS|\bvk::|VK_ERROR|CUDAExecutionProvider|onnxruntime_providers_cuda|CUDNN_STATUS/

/**
 * Returns why a probe failed. The last line that names a reason counts, since a process may continue after an earlier
 * error.
 */
export function reasonOf(evidence: BackendEvidence): Reason {
  for (const table of [rows, vagueRows]) {
    for (const line of evidence.lines.toReversed()) {
      for (const [pattern, words] of table) {
        const found = pattern.exec(line)
        if (found !== null) return words(evidence, found)
      }
    }
  }
  const lastLine = evidence.lines.findLast((line) => !isPanic(line))
  const nextStep = "see 'inferd logs', and update the driver"
  if (evidence.hungAfterMs !== undefined)
    return { reason: `it hung: no answer within ${evidence.hungAfterMs / 1000} s`, nextStep }
  if (evidence.exit !== undefined)
    return {
      reason: `it ended its process (${evidence.exit}${lastLine === undefined ? '' : `: ${lastLine}`})`,
      nextStep,
    }
  return { reason: lastLine ?? 'it failed without a word', nextStep }
}

/** Returns the reason if the last lines of an engine show that its backend ended it. */
export function backendFailureOf(evidence: BackendEvidence): Reason | undefined {
  const isOfBackend = evidence.lines.some((line) => ofBackend.test(line))
  if (!isOfBackend) return undefined
  const reason = reasonOf(evidence)
  return reason.isOfModel ? undefined : reason
}

/** Returns whether a line names a reason. A failure shows the last such line, even if other lines follow. */
export function tellsReason(line: string): boolean {
  return ofBackend.test(line) || rows.some(([pattern]) => pattern.test(line))
}

function driverWords(driver: string | undefined): string {
  return driver === undefined ? 'the driver' : `driver ${driver}`
}

/** Returns words for the oldest sufficient driver. */
function neededWords({ capabilities = [], code }: BackendEvidence): string {
  const driver = neededDriver(capabilities, code)
  return driver === undefined ? 'a newer one' : `${driver} or newer`
}

function lacksWords({ capabilities = [], code }: BackendEvidence): string {
  const card = capabilities.length === 0 ? 'the card' : `compute capability ${[...new Set(capabilities)].join(', ')}`
  const holds = code === undefined || code.machineCode.length === 0 ? '' : ` (it has ${code.machineCode.join(', ')})`
  return `it has no machine code for ${card}${holds}`
}
