package dev.headway.cuda.executor;

import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.TinyModel;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** The tiny models by what their layers see. */
final class Families {

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
    return Arrays.stream(TinyModel.values()).filter(which).toList();
  }
}
