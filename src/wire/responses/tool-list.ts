import type { ToolAddress } from './tool-directory.ts'

/** Addresses of the functions and custom tools in a list of tools, namespaces included; whatever else it holds is passed over. */
export function toolAddressesIn(tools: unknown): ToolAddress[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool): ToolAddress[] => {
    if (typeof tool !== 'object' || tool === null) return []
    const { type, name, tools: children } = tool as Record<string, unknown> // fields of unknown type
    if (typeof name !== 'string') return []
    if (type !== 'namespace') return [{ name }]
    return toolAddressesIn(children).map((child) => ({ name: child.name, namespace: name }))
  })
}
