package dev.headway.routing.kvevents.codec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What distinguishes blocks beside their tokens: adapter, salt, images. Keys that are no texts are
 * texts here: their JSON.
 *
 * @param ofBlocks by block, its keys or null for none; copied
 */
public record KvExtraKeys(List<@Nullable List<String>> ofBlocks) {

  /** Copies the keys. */
  public KvExtraKeys {
    final List<@Nullable List<String>> copy = new ArrayList<>(ofBlocks.size());
    for (List<String> keys : ofBlocks) {
      copy.add(keys == null ? null : List.copyOf(keys));
    }
    ofBlocks = Collections.unmodifiableList(copy);
  }

  /** The keys of a block; null for none, also of a block that was not mentioned. */
  public @Nullable List<String> of(int block) {
    return block < ofBlocks.size() ? ofBlocks.get(block) : null;
  }
}
