/** `manifest.json` of a bundle: everything that the bundle holds, by its sums. Its signature is the only one. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isObject } from '../../core/json.ts'
import { chunkSumPattern } from '../chunk-sum.ts'
import { contradictionIn, modelProblem } from './check-manifest.ts'
import { licenseNamePattern, maximumPartBytes, maximumParts } from './layout.ts'

/** Why a bundle cannot be made, trusted or installed: says what is wrong and what to do. */
export class BundleError extends Error {
  override name = 'BundleError'
}

const closed = { additionalProperties: false }
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const bytes = (maximum: number = Number.MAX_SAFE_INTEGER) => Type.Integer({ minimum: 0, maximum })
const line = (maxLength: number) => Type.String({ pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$', maxLength })
const given = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Undefined()]))
const serial = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** What the files of models and the executable contain. */
const content = Type.Object({ sha256, bytes: bytes() }, closed)

const blob = Type.Object(
  {
    sha256,
    bytes: bytes(),
    parts: Type.Array(Type.Object({ sha256, bytes: bytes(maximumPartBytes) }, closed), {
      minItems: 1,
      maxItems: maximumParts,
    }),
  },
  closed,
)

const bundledFile = Type.Object(
  {
    role: Type.String({ pattern: '^[a-z][a-z0-9-]*$', maxLength: 40 }),
    name: line(1800),
    bytes: bytes(),
    sha256,
    chunkSums: Type.Array(Type.String({ pattern: chunkSumPattern })),
    source: line(4000),
    commit: given(line(200)),
  },
  closed,
)

const bundledModel = Type.Object(
  {
    id: line(200),
    /** As it stands in `models.d`. */
    manifest: Type.String({ maxLength: 1024 * 1024 }),
    /** Name of the text of its licence. */
    license: given(line(100)),
    /** As in its lock. */
    files: Type.Array(bundledFile, { minItems: 1, maxItems: 10_000 }),
  },
  closed,
)

const bundledLibrary = Type.Object(
  { name: Type.String({ pattern: '^lib[A-Za-z0-9_-]+\\.so(\\.[0-9]+)+$', maxLength: 100 }), sha256, bytes: bytes() },
  closed,
)

const schema = Type.Object(
  {
    format: Type.Literal(1),
    bundle: Type.String({ pattern: '^bnd_[0-9A-Za-z]{24}$' }),
    /** Grows with every bundle of a key: the time that it was made at in UTC, YYYYMMDDhhmmss. */
    serial,
    /** Version of the program that made it, and of the executable in it. */
    inferd: line(100),
    /** The key that signs it, as minisign writes it. Says whom to ask for; proves nothing. */
    publicKey: given(line(100)),
    /** What the executable runs on. */
    platform: Type.Object({ os: line(40), arch: line(40), libc: line(40) }, closed),
    executable: given(content),
    models: Type.Array(bundledModel, { maxItems: 1000 }),
    /** NVIDIA's own, for the box's data folder; absent: none is carried. */
    libraries: given(Type.Array(bundledLibrary, { minItems: 1, maxItems: 100 })),
    blobs: Type.Array(blob, { maxItems: 20_000 }),
    /** What the bundle leaves out, since the box has it. */
    base: Type.Array(content, { maxItems: 20_000 }),
    licenses: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: licenseNamePattern, maxLength: 100 }),
          id: line(200),
          bytes: bytes(1024 * 1024),
          sha256,
        },
        closed,
      ),
      { maxItems: 1000 },
    ),
  },
  closed,
)

export type BundleManifest = Static<typeof schema>
export type BundledModel = BundleManifest['models'][number]
export type Blob = BundleManifest['blobs'][number]

export function formatBundleManifest(manifest: BundleManifest): string {
  return `${canonicalJson(manifest)}\n`
}

/** Reads a manifest of any origin and checks all of it. Throws BundleError. */
export function parseBundleManifest(text: string): BundleManifest {
  const manifest = parsed(text)
  if (!Value.Check(schema, manifest)) {
    const path = Value.Errors(schema, manifest).First()?.path.slice(1).replaceAll('/', '.') ?? ''
    throw new BundleError(`the manifest is damaged, or of another version of inferd: "${path}" is wrong`)
  }
  const problem = formatBundleManifest(manifest) === text ? contradictionIn(manifest) : 'it is not in canonical form'
  if (problem !== undefined)
    throw new BundleError(`the manifest, which inferd ${manifest.inferd} has made, cannot be used: ${problem}`)
  return manifest
}

/** A model as another box describes it, all of it checked. Throws BundleError. */
export function checkedBundledModel(value: unknown): BundledModel {
  if (!Value.Check(bundledModel, value)) {
    const path = Value.Errors(bundledModel, value).First()?.path.slice(1).replaceAll('/', '.') ?? ''
    throw new BundleError(`"${path}" of its model is not what it must be`)
  }
  const problem = modelProblem(value)
  if (problem !== undefined) throw new BundleError(problem)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BundleError('the manifest is damaged: it is not JSON')
  }
}

/**
 * JSON with one form for each value: keys in order of their code units, no spaces, whole numbers alone. What is undefined is
 * left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (isObject(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined)
    return `{${keys
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
      .join(',')}}`
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error(`${value} has no canonical form`)
  return JSON.stringify(value)
}
