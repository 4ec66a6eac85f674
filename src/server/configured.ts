/** Settings in the form that parts of the server take. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { AudioDecoder } from '../audio/audio-decoder.ts'
import { soundFiles } from '../audio/sent/sound-limits.ts'
import { SoundReceiver } from '../audio/sent/sound-receiver.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type Config, version } from '../config/config.ts'
import { decimalToNano } from '../core/money.ts'
import type { SearchService } from '../core/web-search.ts'
import { documentFiles } from '../documents/document-errors.ts'
import { DocumentReceiver } from '../documents/document-receiver.ts'
import { ownCommand } from '../engines/host/spawn-engine.ts'
import { type HttpConfig, httpDefaults } from '../http/http-config.ts'
import { machineNames } from '../http/own-host.ts'
import { FileFetcher } from '../images/fetch/file-fetcher.ts'
import { ImageFetcher } from '../images/fetch/image-fetcher.ts'
import { ImageReceiver } from '../images/image-receiver.ts'
import type { PoolSettings } from '../scheduler/settings.ts'
import { searxngSearch } from '../search/searxng.ts'
import type { Spool } from '../spool/spool.ts'
import { SharedModels } from '../store/share/shared-models.ts'

/** Name of this server in requests to others. */
export const userAgent = `inferd/${version}`

export function poolSettings({ memoryLimitBytes: limitBytes, memoryKeepBytes: keepBytes }: Config): PoolSettings {
  return { ...(limitBytes !== undefined && { limitBytes }), ...(keepBytes !== undefined && { keepBytes }) }
}

export function httpConfig(config: Config, reach: HttpConfig['reach']): HttpConfig {
  return {
    ...httpDefaults,
    reach,
    version,
    publicUrl: config.publicUrl,
    admin: config.admin,
    host: config.host,
    hostNames: [config.host, ...machineNames(hostname()), ...config.allowedHosts],
    bodyLimitBytes: config.bodyLimitMb * 1024 * 1024,
    hstsDays: config.tls === 'off' ? 0 : config.hstsDays,
    idleTimeoutSeconds: config.idleTimeoutSeconds,
    textLimits: { embeddingInputs: config.embeddingInputs, rerankDocuments: config.rerankDocuments },
    moderationModel: config.moderationModel,
    audioFallback: config.audioFallback,
    listsOnlyInstalled: config.listModels === 'installed',
    repeatsReasoning: config.reasoningField === 'both',
    holdTokens: config.holdTokens,
    topUpText: config.topUpText,
    trustedProxies: config.trustedProxies,
    servesOllama: config.ollamaApi,
    servesKeyless: config.ollamaKeyless,
    keylessOrigins: config.ollamaOrigins,
  }
}

export function imageReceiver(config: Config, spool: Spool): ImageReceiver {
  return new ImageReceiver({
    spool,
    limits: {
      bytes: config.imageLimitBytes,
      sidePixels: config.imageSidePixels,
      megapixels: config.imageMegapixels,
      count: config.imagesPerRequest,
    },
    fetcher: new ImageFetcher({ isAllowed: config.imageUrls, userAgent }),
  })
}

export function documentReceiver(config: Config, spool: Spool): DocumentReceiver {
  return new DocumentReceiver({
    spool,
    command: ownCommand(),
    fetcher: new FileFetcher(documentFiles, { isAllowed: config.fileUrls, userAgent }),
  })
}

export function soundReceiver(config: Config, spool: Spool, decoder: AudioDecoder): SoundReceiver {
  return new SoundReceiver({
    spool,
    decoder,
    fetcher: new FileFetcher(soundFiles, { isAllowed: config.fileUrls, userAgent }),
  })
}

export function searchService({ searchUrl: url, searchPrice }: Config): SearchService | undefined {
  if (url === undefined) return undefined
  return { search: searxngSearch({ url, userAgent }), priceNanoUsd: decimalToNano(searchPrice) ?? 0 }
}

export function sharedModels(
  { data: dataDir, shareRateBytes: bytesPerSecond }: Config,
  catalog: Catalog,
): SharedModels {
  return new SharedModels({ dataDir, entries: () => catalog.entries(), bytesPerSecond })
}

export function spoolFolder(dataDir: string): string {
  return join(dataDir, 'spool')
}
