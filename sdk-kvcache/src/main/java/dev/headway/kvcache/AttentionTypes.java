package dev.headway.kvcache;

import dev.headway.api.kvcache.KvGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The types of layers of a cache: groups of equal layers are one type, and searched together.
 *
 * @param byGroup the type of each group
 * @param inSearchOrder each type once: full attention first, which needs one search only
 */
record AttentionTypes(
    List<AttentionTypeManager> byGroup, List<AttentionTypeManager> inSearchOrder) {

  static AttentionTypes of(CacheParts parts, List<KvGroup> groups) {
    final Map<KvGroup, List<Integer>> members = new LinkedHashMap<>();
    for (int group = 0; group < groups.size(); group++) {
      members.computeIfAbsent(groups.get(group), key -> new ArrayList<>()).add(group);
    }
    final AttentionTypeManager[] byGroup = new AttentionTypeManager[groups.size()];
    final List<AttentionTypeManager> full = new ArrayList<>();
    final List<AttentionTypeManager> others = new ArrayList<>();
    members.forEach(
        (layers, indexes) -> {
          final int[] own = indexes.stream().mapToInt(Integer::intValue).toArray();
          final AttentionTypeManager type = managerOf(parts, layers, own);
          for (int group : own) {
            byGroup[group] = type;
          }
          (type.isClosedDownwards() ? full : others).add(type);
        });
    full.addAll(others);
    return new AttentionTypes(List.of(byGroup), List.copyOf(full));
  }

  private static AttentionTypeManager managerOf(CacheParts parts, KvGroup layers, int[] groups) {
    return switch (layers) {
      case KvGroup.FullAttention full -> new FullAttentionManager(parts, full, groups);
      case KvGroup.SlidingWindow window -> new SlidingWindowManager(parts, window, groups);
      case KvGroup.ChunkedLocal chunked -> new ChunkedLocalManager(parts, chunked, groups);
      case KvGroup.Mamba states -> new MambaManager(parts, states, groups);
    };
  }
}
