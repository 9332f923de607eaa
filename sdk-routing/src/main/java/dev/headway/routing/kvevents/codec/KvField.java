package dev.headway.routing.kvevents.codec;

import java.util.List;

/** Names on the wire, in the order in which arrays have them. */
final class KvField {

  static final String STORED = "BlockStored";
  static final String REMOVED = "BlockRemoved";
  static final String CLEARED = "AllBlocksCleared";

  static final String TYPE = "type";
  static final String HASHES = "block_hashes";
  static final String PARENT = "parent_block_hash";
  static final String TOKENS = "token_ids";
  static final String BLOCK_SIZE = "block_size";
  static final String LORA_ID = "lora_id";
  static final String MEDIUM = "medium";
  static final String LORA_NAME = "lora_name";
  static final String EXTRA_KEYS = "extra_keys";
  static final String GROUP = "group_idx";
  static final String KIND = "kv_cache_spec_kind";
  static final String WINDOW = "kv_cache_spec_sliding_window";

  static final String TIMESTAMP = "ts";
  static final String EVENTS = "events";
  static final String RANK = "data_parallel_rank";

  static final List<String> OF_BATCH = List.of(TIMESTAMP, EVENTS, RANK);
  static final List<String> OF_STORED =
      List.of(
          HASHES,
          PARENT,
          TOKENS,
          BLOCK_SIZE,
          LORA_ID,
          MEDIUM,
          LORA_NAME,
          EXTRA_KEYS,
          GROUP,
          KIND,
          WINDOW);
  static final List<String> OF_REMOVED = List.of(HASHES, MEDIUM, GROUP);

  private KvField() {}
}
