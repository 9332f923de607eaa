package dev.headway.kvcache;

import dev.headway.api.request.Request;
import org.jspecify.annotations.Nullable;

/** The hashes of one request's blocks, one after the other. One thread. */
@FunctionalInterface
interface BlockHashChain {

  /** Begins chains of requests that nothing is hashed for. */
  Factory NONE =
      (request, items) ->
          tokens -> {
            throw new IllegalStateException("prefix caching must be on for a block to be hashed");
          };

  /** Returns the hash of the next block, over {@code tokens}, which are a whole block. */
  long append(int[] tokens);

  /** Begins chains. */
  @FunctionalInterface
  interface Factory {

    /**
     * Begins the chain of a request.
     *
     * @param items the items of its blocks; null for none
     */
    BlockHashChain open(Request request, @Nullable BlockItems items);
  }
}
