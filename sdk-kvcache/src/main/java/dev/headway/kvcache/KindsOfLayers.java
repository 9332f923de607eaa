package dev.headway.kvcache;

import dev.headway.api.kvcache.KvGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The kinds of layers of a cache: groups of equal layers are one kind, and searched together.
 *
 * @param byGroup the kind of each group
 * @param inSearchOrder each kind once: full attention first, which needs one search only
 */
record KindsOfLayers(List<LayerKind> byGroup, List<LayerKind> inSearchOrder) {

  static KindsOfLayers of(CacheParts parts, List<KvGroup> groups) {
    final Map<KvGroup, List<Integer>> members = new LinkedHashMap<>();
    for (int group = 0; group < groups.size(); group++) {
      members.computeIfAbsent(groups.get(group), key -> new ArrayList<>()).add(group);
    }
    final LayerKind[] byGroup = new LayerKind[groups.size()];
    final List<LayerKind> full = new ArrayList<>();
    final List<LayerKind> others = new ArrayList<>();
    members.forEach(
        (layers, indexes) -> {
          final int[] own = indexes.stream().mapToInt(Integer::intValue).toArray();
          final LayerKind kind = kindOf(parts, layers, own);
          for (int group : own) {
            byGroup[group] = kind;
          }
          (kind.isClosedDownwards() ? full : others).add(kind);
        });
    full.addAll(others);
    return new KindsOfLayers(List.of(byGroup), List.copyOf(full));
  }

  private static LayerKind kindOf(CacheParts parts, KvGroup layers, int[] groups) {
    return switch (layers) {
      case KvGroup.FullAttention full -> new FullAttentionKind(parts, full, groups);
      case KvGroup.SlidingWindow window -> new SlidingWindowKind(parts, window, groups);
      case KvGroup.ChunkedLocal chunked -> new ChunkedLocalKind(parts, chunked, groups);
      case KvGroup.Mamba states -> new MambaKind(parts, states, groups);
    };
  }
}
