package dev.headway.report.profile;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether and where a profile is written, by API, system property, {@code HEADWAY_} and {@code
 * VLLM_} variable; the first that has a value decides.
 *
 * @param enabled whether it is written
 * @param options where
 * @param warnings values that are not valid, and what is used instead; to be shown
 */
public record ProfileSettings(boolean enabled, ProfileOptions options, List<String> warnings) {

  /** Copies the warnings. */
  public ProfileSettings {
    warnings = List.copyOf(warnings);
  }

  /** Settings from {@code api}, then {@code properties}, then {@code environment}. */
  public static ProfileSettings resolve(
      Map<ProfileSwitch, String> api,
      Function<String, @Nullable String> properties,
      Function<String, @Nullable String> environment) {
    return new Resolver(api, properties, environment).resolve();
  }

  private record Setting(String name, String value) {}

  private static final class Resolver {

    private final Map<ProfileSwitch, String> api;
    private final Function<String, @Nullable String> properties;
    private final Function<String, @Nullable String> environment;
    private final List<String> warnings = new ArrayList<>();

    Resolver(
        Map<ProfileSwitch, String> api,
        Function<String, @Nullable String> properties,
        Function<String, @Nullable String> environment) {
      this.api = api;
      this.properties = properties;
      this.environment = environment;
    }

    ProfileSettings resolve() {
      final boolean enabled = isOn(ProfileSwitch.ENABLED);
      final boolean console = isOn(ProfileSwitch.CONSOLE);
      final Path log = log();
      final ProfileOptions options =
          new ProfileOptions(
              log,
              fileName(log),
              console ? ConsoleLines.EVERY_SECOND : ConsoleLines.OFF,
              rotateBytes());
      if (!enabled && console) {
        warnings.add(
            "no console lines come, since profiling is off: switch it on with "
                + ProfileSwitch.ENABLED.variable()
                + "=true");
      }
      return new ProfileSettings(enabled, options, warnings);
    }

    private boolean isOn(ProfileSwitch wanted) {
      final Setting setting = find(wanted);
      if (setting == null) {
        return false;
      }
      return switch (setting.value.strip().toLowerCase(Locale.ROOT)) {
        case "true", "1", "yes", "on" -> true;
        case "false", "0", "no", "off" -> false;
        default -> {
          warnings.add(
              setting.name
                  + " must be one of true, 1, yes, on, false, 0, no, off, so it counts as off: "
                  + setting.name
                  + "="
                  + setting.value);
          yield false;
        }
      };
    }

    private long rotateBytes() {
      final Setting setting = find(ProfileSwitch.ROTATE_BYTES);
      if (setting == null) {
        return 0;
      }
      try {
        final long bytes = Long.parseLong(setting.value.strip());
        if (bytes >= 0) {
          return bytes;
        }
      } catch (NumberFormatException e) {
        // as for one that is negative
      }
      warnings.add(
          setting.name
              + " must be a number of bytes, 0 for never, so the file is not put aside: "
              + setting.name
              + "="
              + setting.value);
      return 0;
    }

    private Path log() {
      final Setting setting = find(ProfileSwitch.LOG);
      if (setting == null) {
        return ProfileOptions.DEFAULT_LOG;
      }
      try {
        return Path.of(setting.value);
      } catch (InvalidPathException e) {
        warnings.add(
            setting.name
                + " must be a path, so "
                + ProfileOptions.DEFAULT_LOG
                + " is taken: "
                + e.getMessage());
        return ProfileOptions.DEFAULT_LOG;
      }
    }

    private @Nullable String fileName(Path log) {
      final Setting setting = find(ProfileSwitch.FILE_NAME);
      if (setting == null) {
        return null;
      }
      if (ProfilePath.isFile(log)) {
        warnings.add(
            setting.name
                + " counts for a directory only and is ignored: "
                + setting.name
                + "="
                + setting.value
                + ", log="
                + log);
        return null;
      }
      try {
        return new ProfileOptions(log, setting.value, ConsoleLines.OFF, 0).fileName();
      } catch (IllegalArgumentException e) { // InvalidPathException is one
        warnings.add(
            setting.name + " must be a name without directories and is ignored: " + setting.value);
        return null;
      }
    }

    private @Nullable Setting find(ProfileSwitch wanted) {
      final String fromApi = api.get(wanted);
      if (fromApi != null) {
        return new Setting(wanted.name().toLowerCase(Locale.ROOT), fromApi);
      }
      final Setting property = from(properties, wanted.property());
      if (property != null) {
        return property;
      }
      final Setting own = from(environment, wanted.variable());
      return own != null ? own : from(environment, wanted.vllmVariable());
    }

    private static @Nullable Setting from(Function<String, @Nullable String> source, String name) {
      final String value = source.apply(name);
      return value == null || value.isBlank() ? null : new Setting(name, value);
    }
  }
}
