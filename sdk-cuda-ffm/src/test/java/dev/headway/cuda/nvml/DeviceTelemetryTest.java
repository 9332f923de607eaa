package dev.headway.cuda.nvml;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headway.cuda.driver.NativeLibrary;
import dev.headway.cuda.emulation.EmulatorBuild;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Figures through a fake NVML, and their absence. */
@Tag("cuda")
class DeviceTelemetryTest {
  private static final String DEVICE = "0000:01:00.0";
  private static final long INTERVAL_NS = 5_000_000;

  private static NativeLibrary fake() {
    final EmulatorBuild.Outcome outcome = EmulatorBuild.nvml();
    if (!"required".equals(System.getProperty("headway.cuda.emulator"))) {
      assumeThat(outcome.library()).as(outcome.problem()).isPresent();
    }
    return NativeLibrary.open(outcome.library().orElseThrow().toString());
  }

  private static int fakeCall(NativeLibrary library, String name, int argument) throws Throwable {
    return (int)
        Linker.nativeLinker()
            .downcallHandle(
                library.symbols().orElseThrow().findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
            .invokeExact(argument);
  }

  @Test
  void shouldReadFiguresAndLetNvmlGo() throws Throwable {
    final NativeLibrary nvml = fake();
    try (DeviceTelemetry telemetry = DeviceTelemetry.open(nvml, DEVICE, INTERVAL_NS)) {
      assertThat(telemetry.usedBytes()).isEqualTo(ABSENT);

      assertThat(telemetry.refresh(0)).isTrue();

      assertThat(telemetry.absentBecause()).isEmpty();
      assertThat(telemetry.usedBytes()).isPositive().isLessThan(1_000_000);
      assertThat(telemetry.totalBytes()).isEqualTo(1_000_000);
      assertThat(telemetry.utilisationPermille()).isEqualTo(370);
    }
    assertThat(fakeCall(nvml, "headway_emulation_nvml_users", 0)).isZero();
  }

  @Test
  void shouldAskOncePerInterval() {
    try (DeviceTelemetry telemetry = DeviceTelemetry.open(fake(), DEVICE, INTERVAL_NS)) {
      telemetry.refresh(100);
      final long first = telemetry.usedBytes(); // the fake's figure grows with each query

      assertThat(telemetry.refresh(100 + INTERVAL_NS - 1)).isFalse();
      assertThat(telemetry.usedBytes()).isEqualTo(first);
      assertThat(telemetry.refresh(100 + INTERVAL_NS)).isTrue();
      assertThat(telemetry.usedBytes()).isEqualTo(first + 1000);
    }
  }

  @Test
  void shouldLeaveOneFigureAbsentIfOnlyThatIsUnsupported() throws Throwable {
    final NativeLibrary nvml = fake();
    fakeCall(nvml, "headway_emulation_nvml_utilisation", 0);
    try (DeviceTelemetry telemetry = DeviceTelemetry.open(nvml, DEVICE, INTERVAL_NS)) {
      telemetry.refresh(0);

      assertThat(telemetry.utilisationPermille()).isEqualTo(ABSENT);
      assertThat(telemetry.usedBytes()).isNotEqualTo(ABSENT);
    } finally {
      fakeCall(nvml, "headway_emulation_nvml_utilisation", 1);
    }
  }

  @Test
  void shouldBeAbsentWithoutTheLibraryOrTheDevice() {
    final NativeLibrary missing = NativeLibrary.open("libnvidia-ml-of-nobody.so.1");
    try (DeviceTelemetry none = DeviceTelemetry.open(missing, DEVICE, INTERVAL_NS);
        DeviceTelemetry other = DeviceTelemetry.open(fake(), "0000:ff:00.0", INTERVAL_NS)) {
      none.refresh(0);
      other.refresh(0);

      assertThat(none.usedBytes()).isEqualTo(ABSENT);
      assertThat(none.utilisationPermille()).isEqualTo(ABSENT);
      assertThat(none.absentBecause())
          .isEqualTo(
              "cannot load libnvidia-ml-of-nobody.so.1: the system's loader does not find it");
      assertThat(other.totalBytes()).isEqualTo(ABSENT);
      assertThat(other.absentBecause()).isEqualTo("NVML knows no device at 0000:ff:00.0: result=6");
    }
  }

  @Test
  void shouldRefuseToAskMoreThanOncePerMillisecond() {
    assertThatThrownBy(() -> DeviceTelemetry.open(DEVICE, 999_999))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "minIntervalNs must be >= 1000000, a query can take a millisecond:"
                + " minIntervalNs=999999");
  }
}
