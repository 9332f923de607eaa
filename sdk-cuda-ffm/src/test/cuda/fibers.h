// Runs one block of a kernel as fibers.
#pragma once
#include "emulation.h"
#include <string>
#include <vector>

namespace emulation {
/** Order in which warps and lanes get their turn: 0 forward, 1 backward, else shuffled from this seed. */
void setOrder(int order);
/** The order in which `n` blocks of a launch get theirs. */
void orderBlocks(std::vector<unsigned>& turns, unsigned n);
const Entry* findKernel(const std::string& name);
/** Runs a block to its end; false if it failed, and then failure() says why. */
bool runBlock(const Entry& entry, void** parameters, Index block, Index threads, Index grid, unsigned sharedBytes);
const std::string& failure();
/** The failure of a kernel that touched memory that nobody allocated. */
constexpr const char* ILLEGAL_ADDRESS = "an illegal memory access";
constexpr unsigned MAX_THREADS = 1024, MAX_STATIC_SHARED = 48 << 10, MAX_DYNAMIC_SHARED = 227 << 10;
}
