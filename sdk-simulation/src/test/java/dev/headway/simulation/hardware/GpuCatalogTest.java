package dev.headway.simulation.hardware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.model.WeightFormat.Arithmetic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuCatalogTest {

  private static final String OWN =
      """
      {"gpus": {"h100-sxm": {"tflops_bf16": 800, "memory_gib": 96, "memory_gb_per_s": 4000,
                             "link_gb_per_s_one_way": 450, "source": "measured"}}}""";

  @TempDir private Path folder;

  @Test
  void shouldHaveASourceForEveryDevice() {
    final GpuCatalog given = GpuCatalog.builtIn();

    assertThat(given.names()).hasSizeGreaterThan(10);
    assertThat(given.names()).allSatisfy(name -> assertThat(given.get(name).source()).isNotEmpty());
  }

  @Test
  void shouldFindADeviceHoweverItsNameIsWritten() {
    final GpuSpec found = GpuCatalog.builtIn().get("H100 SXM");

    assertThat(found).isEqualTo(GpuCatalog.builtIn().get("h100_sxm"));
    assertThat(found.flops(Arithmetic.FP8)).isEqualTo(1_979e12);
  }

  @Test
  void shouldRunFp8As16BitWhereThereIsNoFp8() {
    final GpuSpec given = GpuCatalog.builtIn().get("a100-sxm");

    assertThat(given.flops(Arithmetic.FP8)).isEqualTo(given.flops(Arithmetic.BF16));
  }

  @Test
  void shouldLetAFileAddAndReplaceDevices() throws IOException {
    final Path file = Files.writeString(folder.resolve("gpus.json"), OWN);

    final GpuCatalog catalog = GpuCatalog.builtIn().with(file);

    assertThat(catalog.get("h100-sxm").source()).isEqualTo("measured");
    assertThat(catalog.get("l4")).isEqualTo(GpuCatalog.builtIn().get("l4"));
  }

  @Test
  void shouldHaveNoPricesButThoseOfAFile() throws IOException {
    final GpuCatalog builtIn = GpuCatalog.builtIn();
    final Path file =
        Files.writeString(
            folder.resolve("gpus.json"), OWN.replace("96,", "96, \"price_per_gpu_hour\": 2.49,"));
    final Path free =
        Files.writeString(
            folder.resolve("free.json"), OWN.replace("96,", "96, \"price_per_gpu_hour\": 0,"));

    assertThat(builtIn.names()).allMatch(name -> builtIn.pricePerHour(name).isEmpty());
    assertThat(builtIn.with(file).pricePerHour("H100 SXM")).hasValue(2.49);
    assertThat(builtIn.with(file).pricePerHour("l4")).isEmpty();
    assertThatThrownBy(() -> builtIn.with(free))
        .hasMessageContaining("price_per_gpu_hour must be > 0: gpu=h100-sxm, value=0.0");
  }

  @Test
  void shouldNameWhatIsWrong() throws IOException {
    final Path incomplete =
        Files.writeString(folder.resolve("a.json"), OWN.replace("\"memory_gib\": 96, ", ""));
    final Path negative = Files.writeString(folder.resolve("b.json"), OWN.replace("800", "-8"));

    assertThatThrownBy(() -> GpuCatalog.builtIn().with(incomplete))
        .hasMessageContaining("a.json: memory_gib must be a number: gpu=h100-sxm");
    assertThatThrownBy(() -> GpuCatalog.builtIn().with(negative))
        .hasMessageContaining("BF16 must be > 0: gpu=h100-sxm");
    assertThatThrownBy(() -> GpuCatalog.builtIn().get("tpu"))
        .hasMessageContaining("gpu must be one of")
        .hasMessageEndingWith("gpu=tpu");
    assertThatThrownBy(() -> GpuCatalog.builtIn().get("H100 SMX"))
        .hasMessageEndingWith("gpu=H100 SMX; the nearest: h100-sxm");
  }
}
