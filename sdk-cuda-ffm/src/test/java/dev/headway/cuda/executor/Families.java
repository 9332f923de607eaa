package dev.headway.cuda.executor;

import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TinyModel;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Those that there are kernels for. */
final class Families {

  static final ModelFamily[] ON_DEVICE =
      Arrays.stream(ModelFamily.values())
          .filter(family -> !family.hasSinks())
          .toArray(ModelFamily[]::new);

  private Families() {}

  /** Models whose layers all attend to the whole context. */
  static List<TinyModel> withoutWindows() {
    return tiny(tiny -> KvLayers.of(tiny.config()).areFull());
  }

  /** Models with several groups of KV blocks, or one of a window. */
  static List<TinyModel> withWindows() {
    return tiny(tiny -> !KvLayers.of(tiny.config()).areFull());
  }

  private static List<TinyModel> tiny(Predicate<TinyModel> which) {
    return Arrays.stream(TinyModel.values())
        .filter(tiny -> List.of(ON_DEVICE).contains(tiny.config().family()))
        .filter(which)
        .toList();
  }
}
