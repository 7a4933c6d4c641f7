# The formula of the command, for a tap. The release fills in the version and the checksum of the package that the release carries.
class Holdfast < Formula
  desc "Hooks for coding agents: write, test, install and review them"
  homepage "https://github.com/holdfast-hooks/holdfast"
  url "https://github.com/holdfast-hooks/holdfast/releases/download/holdfast@0.1.0/holdfast-0.1.0.tgz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/holdfast --version")
  end
end
