package dev.headway.routing.kvevents.codec;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that happened to an engine's prefix cache. Immutable. */
public sealed interface KvEvent {

  /** The medium of the device's own memory. */
  String GPU = "GPU";

  /** The only kind of group whose blocks a prefix can be looked up by. */
  String FULL_ATTENTION = "full_attention";

  /**
   * Whole blocks became findable, one behind the other.
   *
   * @param hashes the engine's names of the blocks, copied
   * @param parent the name of the block in front of them; null if they begin a prompt
   * @param tokens tokens of all blocks, {@code hashes.size() * blockSize} of them; kept, not copied
   * @param blockSize tokens per block
   * @param loraId number of the adapter; null for none
   * @param medium where the blocks are, {@link #GPU} as a rule; null if it was not said
   * @param loraName name of the adapter; null for none
   * @param extraKeys by block, what distinguishes it beside its tokens; null for nothing
   * @param group the group of layers, from 0; null if it was not said
   * @param groupKind the kind of the group, for example {@link #FULL_ATTENTION}; null if not said
   * @param slidingWindow tokens of the group's window; null for none
   */
  @SuppressWarnings("ArrayRecordComponent") // large, handed through, never compared
  record BlockStored(
      List<KvBlockHash> hashes,
      @Nullable KvBlockHash parent,
      int[] tokens,
      int blockSize,
      @Nullable Long loraId,
      @Nullable String medium,
      @Nullable String loraName,
      @Nullable KvExtraKeys extraKeys,
      @Nullable Integer group,
      @Nullable String groupKind,
      @Nullable Integer slidingWindow)
      implements KvEvent {

    /**
     * Copies the hashes.
     *
     * @throws IllegalArgumentException if there are not as many tokens as the blocks have
     */
    public BlockStored {
      hashes = List.copyOf(hashes);
      if (blockSize < 1 || (long) hashes.size() * blockSize != tokens.length) {
        throw new IllegalArgumentException(
            "stored blocks must be whole: blocks="
                + hashes.size()
                + ", blockSize="
                + blockSize
                + ", tokens="
                + tokens.length);
      }
    }
  }

  /**
   * Blocks are no longer findable.
   *
   * @param hashes the engine's names of the blocks, copied
   * @param medium where the blocks were; null if it was not said
   * @param group the group of layers, from 0; null if it was not said
   */
  record BlockRemoved(List<KvBlockHash> hashes, @Nullable String medium, @Nullable Integer group)
      implements KvEvent {

    /** Copies the hashes. */
    public BlockRemoved {
      hashes = List.copyOf(hashes);
    }
  }

  /** The cache is empty. */
  record AllBlocksCleared() implements KvEvent {}
}
