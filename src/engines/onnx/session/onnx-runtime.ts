/** ONNX Runtime's binding, used directly: its JavaScript package cannot be loaded from a folder of our choice. */
import { Tensor } from 'onnxruntime-common'

interface RawValueInfo {
  readonly name: string
  readonly isTensor: boolean
  /** Element type as in ONNX's `TensorProto.DataType`. */
  readonly type: number
  /** -1 for a dimension of any length. */
  readonly shape: readonly number[]
}

interface RawSession {
  readonly inputMetadata: readonly RawValueInfo[]
  readonly outputMetadata: readonly RawValueInfo[]
  loadModel(path: string, options: object): void
  loadModel(content: ArrayBufferLike, begin: number, length: number, options: object): void
  dispose(): void
  run(feeds: Record<string, Tensor>, fetches: Record<string, null>, options: object): Record<string, Tensor>
}

interface Binding {
  readonly InferenceSession: new () => RawSession
  initOrtOnce(logLevel: number, tensor: typeof Tensor, isMainThread: boolean): void
}

export interface SessionOptions {
  /** Absolute path of the binding; the libraries lie beside it. */
  readonly binding: string
  /** Path of the model's file, or its content. */
  readonly modelPath: string | Uint8Array
  /** Folder of separate weight files, if the model is given by its content. */
  readonly weightsFolder?: string
  readonly provider: 'cuda' | 'cpu'
  /** Index among the devices that this process sees. The CPU ignores it. */
  readonly deviceIndex: number
  readonly threads: number
  /** `extended` leaves out optimizations that kill the process with some half-precision models. */
  readonly optimization: 'all' | 'extended'
  /** True to fail if the provider cannot compute a node, instead of computing it on the CPU. */
  readonly isStrict?: boolean
}

/** Supported element types of inputs, by their numbers in ONNX's `TensorProto.DataType`. */
const elementTypes = { 1: 'float32', 6: 'int32', 7: 'int64', 9: 'bool' } as const

type ElementType = (typeof elementTypes)[keyof typeof elementTypes]

export interface Feed {
  readonly name: string
  readonly type: ElementType
  readonly shape: readonly number[]
  readonly data: BigInt64Array | Int32Array | Float32Array | Uint8Array
}

export interface SessionInput {
  readonly name: string
  readonly type: ElementType
  /** -1 for a dimension of any length. */
  readonly shape: readonly number[]
}

export interface FloatTensor {
  readonly shape: readonly number[]
  readonly data: Float32Array
}

export interface OnnxSession {
  readonly inputs: readonly SessionInput[]
  readonly outputs: readonly string[]
  /** Line for the operator about a change of the graph that was not made. */
  readonly remark?: string | undefined
  /** Computes one output, blocking. Throws ONNX Runtime's error. */
  run(feeds: readonly Feed[], output: string): FloatTensor
  /** Frees the memory. */
  close(): void
}

/**
 * Log levels. Errors are thrown, so lines add nothing, except that a missing library of a GPU's provider is only
 * printed.
 */
const logLevel = { cpu: 4, cuda: 3 } // fatal, error

/** Loads a model, blocking. Throws ONNX Runtime's error if it fails, or if an input has an unsupported type. */
export function openSession(options: SessionOptions): OnnxSession {
  const binding = openBinding(options)
  const session = new binding.InferenceSession()
  const settings = {
    executionProviders: [
      options.provider === 'cuda' ? { name: 'cuda', deviceId: options.deviceIndex } : options.provider,
    ],
    graphOptimizationLevel: options.optimization,
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Spinning idle threads take cores from other processes.
    extra: {
      session: {
        intra_op: { allow_spinning: '0' },
        ...(options.isStrict === true && { disable_cpu_ep_fallback: '1' }),
        ...(options.weightsFolder !== undefined && {
          model_external_initializers_file_folder_path: options.weightsFolder,
        }),
      },
    },
  }
  const { modelPath } = options
  if (typeof modelPath === 'string') session.loadModel(modelPath, settings)
  else session.loadModel(modelPath.buffer, modelPath.byteOffset, modelPath.byteLength, settings)
  const known: Readonly<Record<number, ElementType>> = elementTypes
  const inputs = session.inputMetadata.map(({ name, type, shape }) => {
    const element = known[type]
    if (element === undefined) throw new Error(`its input "${name}" takes neither whole nor single-precision numbers`)
    return { name, type: element, shape }
  })
  return {
    inputs,
    outputs: session.outputMetadata.filter(({ isTensor }) => isTensor).map(({ name }) => name),
    run: (feeds, output) => {
      const tensors = feeds.map(({ name, type, data, shape }) => [name, new Tensor(type, data, shape)] as const)
      const { [output]: result } = session.run(Object.fromEntries(tensors), { [output]: null }, {})
      if (result === undefined) throw new Error(`it gives no output "${output}"`)
      return toFloats(result, output)
    },
    close: () => session.dispose(),
  }
}

/** Opens ONNX Runtime's library once for all threads of this process: its relocations take 20 ms. */
export function openLibrary(binding: string): void {
  try {
    process.dlopen({ exports: {} }, binding)
  } catch {
    // The thread that needs it throws the reason.
  }
}

let opened: Binding | undefined

function openBinding({ binding: path, provider }: SessionOptions): Binding {
  if (opened !== undefined) return opened
  const module = { exports: {} }
  process.dlopen(module, path)
  const binding = module.exports as Binding // of the exact version in package.json
  binding.initOrtOnce(logLevel[provider], Tensor, false)
  opened = binding
  return binding
}

function toFloats({ data, dims }: Tensor, output: string): FloatTensor {
  if (data instanceof Float32Array) return { shape: dims, data }
  if (data instanceof Float16Array) return { shape: dims, data: new Float32Array(data) } // single numbers are slow
  throw new Error(`its output "${output}" does not hold floating-point numbers`)
}
