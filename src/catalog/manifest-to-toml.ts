import { stringify } from 'smol-toml'
import type { ModelFile, ModelManifest, Pricing } from '../core/model.ts'
import { nanoToUsd } from '../core/money.ts'
import { tomlKey } from '../core/setting.ts'
import type { TextModelSettings } from '../core/text-model-settings.ts'
import { writeModelSettings } from '../engines/model-settings.ts'
import { parseManifest } from './parse-manifest.ts'
import { upstreamToToml } from './upstream-of.ts'

/** Returns the manifest as the server will read it, with its TOML. Throws ManifestError if it would be refused. */
export function checkedToml(manifest: ModelManifest): { readonly manifest: ModelManifest; readonly toml: string } {
  const toml = manifestToToml(manifest)
  return { manifest: parseManifest('', Bun.TOML.parse(toml)), toml }
}

/** Returns TOML that `parseManifest` reads back to the same manifest. */
export function manifestToToml(manifest: ModelManifest): string {
  const { id, type, engine, contextLength, dimensions, aliases, pricing, capabilities, settings, encoder, upstream } =
    manifest
  const ownSettings = settings && writeModelSettings(engine, settings)
  // Undefined fields are left out.
  return stringify({
    id,
    type,
    engine,
    why: manifest.why,
    license: manifest.license,
    license_url: manifest.licenseUrl,
    accept_license: manifest.acceptLicense,
    noncommercial: manifest.noncommercial,
    context_length: contextLength,
    dimensions,
    aliases: aliases.length === 0 ? undefined : aliases,
    files: manifest.files.map(fileToToml),
    gpu_files: manifest.gpuFiles?.map(fileToToml),
    pricing: pricing && pricingToToml(pricing),
    capabilities: unlessEmpty(capabilities),
    encoder: encoder && encoderToToml(encoder),
    transcriber: manifest.transcriber,
    diarizer: manifest.diarizer,
    synthesizer: manifest.synthesizer,
    defaults: unlessEmpty(withTomlKeys(manifest.defaults)),
    [engine]: upstream ? { ...upstreamToToml(upstream), ...ownSettings } : ownSettings,
  })
}

function fileToToml({ sizeBytes, ...file }: ModelFile): object {
  return { ...file, bytes: sizeBytes }
}

function encoderToToml({ goldenVectors, goldenScores, ...encoder }: TextModelSettings): object {
  return {
    ...withTomlKeys(encoder),
    golden: [...goldenVectors.map(withTomlKeys), ...goldenScores],
  }
}

function pricingToToml({ inputNanoUsd, cachedInputNanoUsd, outputNanoUsd, priceNanoUsd, unit }: Pricing): object {
  const usd = (nano: number | undefined) => (nano === undefined ? undefined : nanoToUsd(nano))
  return {
    input: usd(inputNanoUsd),
    cached_input: usd(cachedInputNanoUsd),
    output: usd(outputNanoUsd),
    price: usd(priceNanoUsd),
    unit,
  }
}

function withTomlKeys(fields: object): object {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [tomlKey(name), value]))
}

function unlessEmpty(fields: object): object | undefined {
  return Object.values(fields).every((value) => value === undefined) ? undefined : fields
}
