/** Headway's paged KV cache with prefix caching. */
module dev.headway.kvcache {
  requires transitive dev.headway.api;
  requires static org.jspecify;

  exports dev.headway.kvcache;
  exports dev.headway.kvcache.disk;
  exports dev.headway.kvcache.wire;
}
