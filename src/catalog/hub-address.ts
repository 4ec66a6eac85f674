import { fileNameProblem } from '../core/file-name.ts'
import { repositoryPattern } from '../core/repository-name.ts'

/** A file of a repository on a hub, as `hf://org/repository@revision/path` in manifests names it. */
export interface HubAddress {
  /** `org/repository` */
  readonly repository: string
  /** Branch, tag or commit. Undefined means the main branch. */
  readonly revision: string | undefined
  readonly path: string
}

const pattern = new RegExp(`^hf://(${repositoryPattern})(?:@([A-Za-z0-9][\\w.-]{0,127}))?/(.+)$`)

/** Parses an `hf://` address; undefined for others. */
export function parseHubAddress(address: string): HubAddress | undefined {
  const [, repository, revision, path] = pattern.exec(address) ?? []
  if (repository === undefined || path === undefined || fileNameProblem(path) !== undefined) return undefined
  return { repository, revision, path }
}
