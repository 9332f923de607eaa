package dev.headway.report.profile;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.api.probe.ProbeRequest;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.NamedOptions;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a probe that writes the scheduling profile while the engine runs; its name is {@code
 * profile}. A server registers it once and for all; it writes if an option, a system property or
 * the environment says so, see {@link ProfileSwitch}, and otherwise wants nothing and costs
 * nothing. What goes wrong, where the file is and the line per second go to standard error.
 *
 * <table>
 *   <caption>Options</caption>
 *   <tr><td>enabled</td><td>true or false</td></tr>
 *   <tr><td>log</td><td>file, or directory</td></tr>
 *   <tr><td>fileName</td><td>name in the directory</td></tr>
 *   <tr><td>console</td><td>true or false: a line per second</td></tr>
 * </table>
 *
 * <p>And those of {@link NamedOptions}.
 */
public final class ProfileProbeProvider implements ProbeProvider {

  private static final Logger LOG = LoggerFactory.getLogger(ProfileProbeProvider.class);
  private static final Map<ProfileSwitch, String> OPTIONS =
      new EnumMap<>(
          Map.of(
              ProfileSwitch.ENABLED, "enabled",
              ProfileSwitch.LOG, "log",
              ProfileSwitch.FILE_NAME, "fileName",
              ProfileSwitch.CONSOLE, "console",
              ProfileSwitch.ROTATE_BYTES, "rotateBytes"));

  private final Function<String, @Nullable String> properties;
  private final Function<String, @Nullable String> environment;

  /** Called by {@link java.util.ServiceLoader}. */
  public ProfileProbeProvider() {
    this(System::getProperty, System::getenv);
  }

  ProfileProbeProvider(
      Function<String, @Nullable String> properties,
      Function<String, @Nullable String> environment) {
    this.properties = properties;
    this.environment = environment;
  }

  @Override
  public String name() {
    return "profile";
  }

  @Override
  public String description() {
    return "Writes one line of figures per second to a file and the log.";
  }

  /** The switches of {@link ProfileSwitch}; what they say is read again when the probe is made. */
  @Override
  public @Nullable ProbeRequest requested(ProbeEnvironment source) {
    final ProfileSettings settings =
        ProfileSettings.resolve(Map.of(), source::property, source::variable);
    if (!settings.enabled()) {
      return null;
    }
    final Map<String, String> options = new HashMap<>();
    options.put("enabled", "true");
    options.put("log", settings.options().log().toString());
    options.put("console", String.valueOf(settings.options().console() != ConsoleLines.OFF));
    options.put("rotateBytes", String.valueOf(settings.options().rotateBytes()));
    if (settings.options().fileName() != null) {
      options.put("fileName", settings.options().fileName());
    }
    return new ProbeRequest(options, ProfileSwitch.setIn(source));
  }

  /**
   * Opens the profile, or returns a probe that wants nothing if it is off.
   *
   * @throws IOException if the file cannot be written
   * @throws IllegalArgumentException if an option is unknown
   */
  @Override
  public Probe create(ProbeContext context) throws IOException {
    final NamedOptions options =
        new NamedOptions(name(), context.options(), OPTIONS.values().toArray(new String[0]));
    final Map<ProfileSwitch, String> api = new EnumMap<>(ProfileSwitch.class);
    OPTIONS.forEach(
        (key, option) -> {
          final String value = options.text(option);
          if (value != null) {
            api.put(key, value);
          }
        });
    final ProfileSettings settings = ProfileSettings.resolve(api, properties, environment);
    settings.warnings().forEach(LOG::warn);
    if (!settings.enabled() && !api.isEmpty()) {
      LOG.info("scheduler profiling: off, enabled=true switches it on");
    }
    return settings.enabled()
        ? LiveProbe.of(options.live(), List.of(ProfileWriter.open(settings.options(), LOG::info)))
        : new Silent();
  }

  /** The probe of a profile that is switched off. */
  private static final class Silent implements Probe {
    @Override
    public Set<ProbeInterest> interests() {
      return Set.of();
    }
  }
}
