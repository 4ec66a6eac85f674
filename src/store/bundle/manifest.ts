/** `manifest.json` of a bundle: all its contents by checksum. Only this file is signed. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isObject, jsonIn } from '../../core/json.ts'
import { chunkSumPattern } from '../chunk-sum.ts'
import { contradictionIn, modelProblem } from './check-manifest.ts'
import { licenseNamePattern, maximumPartBytes, maximumParts } from './layout.ts'

/** Problem in creating, trusting or installing a bundle, with the next step. */
export class BundleError extends Error {
  override name = 'BundleError'
}

const closed = { additionalProperties: false }
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const bytes = (maximum: number = Number.MAX_SAFE_INTEGER) => Type.Integer({ minimum: 0, maximum })
const line = (maxLength: number) => Type.String({ pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$', maxLength })
const given = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Undefined()]))
const serial = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** Content of a model's file or of the executable. */
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
    /** Manifest as in `models.d`. */
    manifest: Type.String({ maxLength: 1024 * 1024 }),
    /** Name of the licence's text. */
    license: given(line(100)),
    /** Files as in the model's lock. */
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
    /** Serial, which grows with every bundle of a key: its creation time in UTC, YYYYMMDDhhmmss. */
    serial,
    /** Version of the program that made it, and of the executable in it. */
    inferd: line(100),
    /** Signing key as minisign writes it. It tells whom to ask, and proves nothing. */
    publicKey: given(line(100)),
    /** Platform of the executable. */
    platform: Type.Object({ os: line(40), arch: line(40), libc: line(40) }, closed),
    executable: given(content),
    models: Type.Array(bundledModel, { maxItems: 1000 }),
    /** NVIDIA's libraries for the box's data folder. Absent if not included. */
    libraries: given(Type.Array(bundledLibrary, { minItems: 1, maxItems: 100 })),
    blobs: Type.Array(blob, { maxItems: 20_000 }),
    /** Contents left out because the box has them. */
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
  const manifest = jsonIn(text)
  if (manifest === undefined) throw new BundleError('the manifest is damaged: it is not JSON')
  if (!Value.Check(schema, manifest)) {
    const path = Value.Errors(schema, manifest).First()?.path.slice(1).replaceAll('/', '.') ?? ''
    throw new BundleError(`the manifest is damaged, or of another version of inferd: "${path}" is wrong`)
  }
  const problem = formatBundleManifest(manifest) === text ? contradictionIn(manifest) : 'it is not in canonical form'
  if (problem !== undefined)
    throw new BundleError(`the manifest, which inferd ${manifest.inferd} has made, cannot be used: ${problem}`)
  return manifest
}

/** Returns a model as another box describes it, fully checked. Throws BundleError. */
export function checkedBundledModel(value: unknown): BundledModel {
  if (!Value.Check(bundledModel, value)) {
    const path = Value.Errors(bundledModel, value).First()?.path.slice(1).replaceAll('/', '.') ?? ''
    throw new BundleError(`"${path}" of its model is not what it must be`)
  }
  const problem = modelProblem(value)
  if (problem !== undefined) throw new BundleError(problem)
  return value
}

/**
 * Returns JSON with one form for each value: keys in order of their code units, no spaces, only whole numbers.
 * Undefined fields are left out.
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
