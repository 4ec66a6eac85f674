/** Control groups (version 2) of this process. Their limits hold for it and all its children. */
import { dirname, join } from 'node:path'
import { readText } from './read-text.ts'

const mountPoint = '/sys/fs/cgroup'

/** Reads a file of one group; undefined if the group does not have it. */
export type ControlGroup = (file: string) => string | undefined

/** This process's own group and all above it; empty if the system has no groups of version 2. */
export function ownControlGroups(selfCgroup = readText('/proc/self/cgroup') ?? '', root = mountPoint): ControlGroup[] {
  return controlGroupFolders(selfCgroup, root).map((folder) => (file) => readText(join(folder, file)))
}

/**
 * Returns the folders of the groups, from the text of `/proc/self/cgroup`. Always includes the root, since a container
 * with its own group mounted there sees the path `/`, or a path that does not exist.
 */
export function controlGroupFolders(selfCgroup: string, root: string): string[] {
  const own = /^0::(\/.*)$/m.exec(selfCgroup)?.[1]
  if (own === undefined) return []
  const folders = [root]
  for (let path = join('/', own); path !== '/'; path = dirname(path)) folders.push(join(root, path))
  return folders
}
