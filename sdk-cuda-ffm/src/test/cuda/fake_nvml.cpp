// A stand-in for libnvidia-ml.so.1: one device at 0000:01:00.0, whose figures tell how often it was asked.
#include <cstring>
#define API extern "C" __attribute__((visibility("default"))) int
namespace {
constexpr int UNINITIALIZED = 1, NOT_FOUND = 6, NOT_SUPPORTED = 3;
int users, queries;
bool utilisationSupported = true;
}
API nvmlInit_v2() { users++; return 0; }
API nvmlShutdown() { if (!users) return UNINITIALIZED; users--; return 0; }
API nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  if (!users) return UNINITIALIZED;
  if (strcmp(id, "0000:01:00.0") != 0) return NOT_FOUND;
  *device = (void*)0x77;
  return 0;
}
API nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
  if (!users || device != (void*)0x77) return UNINITIALIZED;
  queries++;
  memory[0] = 1000000; memory[1] = 1000000 - 1000ull * queries; memory[2] = 1000ull * queries;  // total, free, used
  return 0;
}
API nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
  if (!users || device != (void*)0x77) return UNINITIALIZED;
  if (!utilisationSupported) return NOT_SUPPORTED;
  rates[0] = 37; rates[1] = 12;
  return 0;
}
API headway_emulation_nvml_users() { return users; }
API headway_emulation_nvml_utilisation(int supported) { utilisationSupported = supported; return 0; }
