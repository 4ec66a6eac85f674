#include "gguf-header.h"

GgufHeader readHeader(const std::string & path) {
    return {gguf_init_from_file(path.c_str(), {/*.no_alloc =*/true, /*.ctx =*/nullptr}), gguf_free};
}

uint32_t headerNumber(const gguf_context * header, const std::string & key) {
    const int64_t id = gguf_find_key(header, key.c_str());
    if (id < 0) return 0;
    switch (gguf_get_kv_type(header, id)) {
        case GGUF_TYPE_UINT32: return gguf_get_val_u32(header, id);
        case GGUF_TYPE_UINT16: return gguf_get_val_u16(header, id);
        default: return 0;
    }
}

std::string headerText(const gguf_context * header, const char * key) {
    const int64_t id = gguf_find_key(header, key);
    return id >= 0 && gguf_get_kv_type(header, id) == GGUF_TYPE_STRING ? gguf_get_val_str(header, id) : "";
}

uint64_t headerListSize(const gguf_context * header, const char * key) {
    const int64_t id = gguf_find_key(header, key);
    return id >= 0 && gguf_get_kv_type(header, id) == GGUF_TYPE_ARRAY ? gguf_get_arr_n(header, id) : 0;
}
