package dev.headway.cli.command;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;

/**
 * Default values as a command line spells them, for help texts and for parsing: constants in lower
 * case, whole numbers without a fraction. Stateless.
 */
public final class WrittenDefaults implements IDefaultValueProvider {

  @Override
  public @Nullable String defaultValue(ArgSpec option) {
    if (option.defaultValue() != null) {
      return null; // what the option itself says
    }
    return switch (option.initialValue()) {
      case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
      case Double number when number == Math.rint(number) && Math.abs(number) < 1e15 ->
          String.valueOf(number.longValue());
      case null, default -> null;
    };
  }
}
